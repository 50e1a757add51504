import Foundation

/// The state machine that carries one task's request through all of its transfers. Its owner stores it under a lock,
/// and performs the returned calls and steps outside the lock.
struct Exchange: Sendable {
    enum State: Sendable {
        case notSent
        case waitingToSend
        case sending
        case deciding(TransferOutcome)
        case receiving(ResponseHead)
        /// The transfer has completed, but the exchange hasn't.
        case received
        case complete(hasReceived: Bool)
    }

    struct Call: Sendable {
        let transfer: any Transfer
        let number: Int
        let kind: TransferCalls.Call
    }

    private(set) var state = State.notSent
    private(set) var number = 0
    private(set) var isSuspended = true
    private(set) var isSinkFull = false
    private(set) var deliversParts = false
    /// The current transfer. It is also stored after the completion, because it knows the metrics and trailers.
    private var current: (any Transfer)?
    private var calls = TransferCalls()

    var attempt = Attempt()
    private var permit: AttemptPermit?
    /// The error of the data source's timeout or of its shutdown.
    private(set) var attemptFailure: (any Error)?
    /// The latest transfer's request. `nil` before the first, or if the data source isn't a ``TransferSource``.
    var request: URLRequest?
    private var start: UInt64 = 0
    private(set) var redirects: [TransferMetrics.Redirect] = []
    private var draining: (any Transfer)?
    private(set) var replaced: [any Transfer] = []
}

extension Exchange {
    var isNotSent: Bool { if case .notSent = state { true } else { false } }
    var isComplete: Bool { if case .complete = state { true } else { false } }
    var pause: TransferPause { isSuspended ? .all : isSinkFull ? .receiving : .none }

    var transfer: (any Transfer)? { isComplete ? nil : current }

    var completedTransfer: (any Transfer)? {
        switch state {
        case .received, .complete(hasReceived: true): current
        case .notSent, .waitingToSend, .sending, .deciding, .receiving, .complete: nil
        }
    }

    typealias AcceptedHead = (head: ResponseHead, number: Int)
    var accepted: AcceptedHead? { acceptedHead.map { ($0, number) } }
    var acceptedHead: ResponseHead? { if case .receiving(let head) = state { head } else { nil } }
}

extension Exchange {
    mutating func resume() -> Bool {
        if isComplete { return false }
        isSuspended = false
        guard isNotSent else { return false }
        state = .waitingToSend
        return true
    }

    mutating func suspend() {
        if !isNotSent, !isComplete { isSuspended = true }
    }

    mutating func setSinkFull(_ isFull: Bool) { isSinkFull = isFull }

    mutating func deliverParts() { deliversParts = true }

    func isWaitingToSend(_ number: Int) -> Bool {
        if case .waitingToSend = state { number == self.number } else { false }
    }

    func isSending(_ number: Int) -> Bool {
        if case .sending = state { number == self.number } else { false }
    }

    mutating func begin(
        _ transfer: any Transfer, number: Int, sending request: URLRequest?
    ) -> Bool {
        guard isWaitingToSend(number) else { return false }
        state = .sending
        (current, calls) = (transfer, TransferCalls())
        self.request = request
        start = DispatchTime.now().uptimeNanoseconds
        return true
    }

    /// Opens the attempt, unless a redirect continues it. Returns the permit of a new attempt.
    mutating func openAttempt(in attempts: OpenAttempts, for owner: any ExchangeOwner) -> AttemptPermit? {
        if permit != nil { return nil }
        permit = attempts.open(for: owner)
        if permit == nil {
            let text = "the data source was shut down"
            attemptFailure = URLError(.cancelled, userInfo: [NSLocalizedDescriptionKey: text])
        }
        return permit
    }

    /// Returns the transfer that must fail, if any. If a redirect replaces it, the next transfer also fails.
    mutating func failAttempt(_ id: Int, with error: any Error) -> (transfer: any Transfer, number: Int)? {
        guard permit?.id == id, attemptFailure == nil else { return nil }
        attemptFailure = error
        return transfer.map { ($0, number) }
    }

    mutating func releasePermit() -> AttemptPermit? {
        attemptFailure = nil
        return permit.take()
    }

    /// Returns `true` the first time. After this, `nextCall` returns only calls that cancel a transfer.
    mutating func complete() -> Bool {
        if isComplete { return false }
        state = .complete(hasReceived: completedTransfer != nil)
        return true
    }

    /// Returns the due call, unless it would overlap a call to the current transfer. Pass each call after it was made.
    mutating func nextCall(after made: Call? = nil) -> Call? {
        let wanted = TransferCalls.Course(
            pause: pause, inParts: deliversParts, isCancelled: isComplete)
        if let current, completedTransfer == nil,
            let kind = calls.next(toward: wanted, afterCall: made?.transfer === current)
        {
            return Call(transfer: current, number: number, kind: kind)
        }
        guard isComplete, let drained = draining.take() else { return nil }
        return Call(transfer: drained, number: number, kind: .cancel)
    }
}

extension Exchange {
    enum Step: Sendable {
        case drop
        case decide(TransferOutcome)
        case deliver
    }

    mutating func receiveHead(_ head: ResponseHead, from number: Int, needsDecision: Bool) -> Step {
        guard number == self.number, case .sending = state else { return .drop }
        if needsDecision { return decide(on: .head(head)) }
        state = .receiving(head)
        return .deliver
    }

    private mutating func decide(on outcome: TransferOutcome) -> Step {
        state = .deciding(outcome)
        return .decide(outcome)
    }

    func takesBodyParts(from number: Int) -> Bool { number == self.number && acceptedHead != nil }

    /// Returns the flow after a body part. Its sender pauses without a call, but `nextCall` resumes it.
    mutating func flowAfterPart(from number: Int, isSinkFull: Bool) -> Flow {
        self.isSinkFull = isSinkFull
        guard number == self.number, !isComplete, pause != .none else { return .more }
        calls.notePause()
        return .pause
    }

    mutating func receiveCompletion(
        _ result: TransferResult, from number: Int, needsDecision: Bool
    ) -> Step {
        guard number == self.number else { return .drop }
        switch (state, result) {
        case (.sending, .failure(let error, let head)) where needsDecision:
            return decide(on: .failure(error, head))
        case (.receiving(let head), .failure(let error, _)) where needsDecision:
            return decide(on: .interruption(error, head))
        case (.sending, _), (.receiving, _):
            state = .received
            return .deliver
        case (.notSent, _), (.waitingToSend, _), (.deciding, _), (.received, _), (.complete, _): return .drop
        }
    }
}

extension Exchange {
    /// Makes the outcome final. Returns `false` if the transfer was replaced or cancelled before the decision.
    mutating func acceptOutcome(of number: Int) -> Bool {
        guard number == self.number, case .deciding(let outcome) = state else { return false }
        state = outcome.head.map { .receiving($0) } ?? .received
        return true
    }

    /// Returns the next transfer's number, and a transfer that must stop draining. `nil` if the decision is too late.
    mutating func sendAgain(
        because cause: FollowUp.Cause, after number: Int
    ) -> (next: Int, drained: (any Transfer)?)? {
        guard number == self.number, case .deciding(let outcome) = state, let transfer = current.take() else {
            return nil
        }
        if cause == .redirect, case .head(let head) = outcome { noteRedirect(head) }
        let drained = draining
        draining = outcome.head == nil ? nil : transfer
        replaced.append(transfer)
        state = .waitingToSend
        self.number += 1
        if cause != .redirect {
            attempt.next(because: cause)
            redirects = []
        }
        return (self.number, drained)
    }

    private mutating func noteRedirect(_ head: ResponseHead) {
        guard let request else { return }
        let nanoseconds = DispatchTime.now().uptimeNanoseconds - start
        redirects.append(
            TransferMetrics.Redirect(
                request: request, head: head.response,
                start: Date(timeIntervalSinceNow: -Double(nanoseconds) / 1e9),
                duration: .nanoseconds(Int64(nanoseconds))))
    }
}

struct Attempt: Sendable {
    private(set) var sent: Int = 1
    private(set) var rejected: Int = 0
    private(set) var retries: Int = 0
    private(set) var offlineRetries: Int = 0
    private(set) var credentialRejections: Int = 0
    /// The number that the credential source returned for the attempt's credential, or 0 without a credential.
    private(set) var credential = 0
    private(set) var rejectedCredential = 0
    /// The attempt's request, perhaps without its credential. `nil` if the task has no follow-ups except redirects.
    private(set) var request: URLRequest?
    private var isAuthorized = false
    /// The end of the task's timeout. `nil` unless retries have to respect it.
    var end: Date?
    private(set) var validators: Validators?

    /// The maximum number of attempts that rejected credentials cause. Without ``CredentialDecision/again``, it is 1.
    static let credentialRejectionLimit: Int = 10

    var plainRequest: URLRequest? { isAuthorized ? request?.authorized(by: nil) : request }
}

extension Attempt {
    mutating func begin(_ request: URLRequest, isAuthorized: Bool, credential: Int) {
        (self.request, self.isAuthorized, self.credential) = (request, isAuthorized, credential)
        sent = rejected + 1
    }

    mutating func validate(with validators: Validators) {
        self.validators = validators
    }

    mutating func next(because cause: FollowUp.Cause) {
        rejected += 1
        rejectedCredential = cause == .rejectedCredential ? credential : 0
        switch cause {
        case .retry: retries += 1
        case .offline: (retries, offlineRetries) = (retries + 1, offlineRetries + 1)
        case .rejectedCredential: credentialRejections += 1
        case .redirect, .range: break
        case .validation: validators = nil
        }
    }
}
