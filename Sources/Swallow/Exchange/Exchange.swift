import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The state machine that carries one task's request through all of its transfers.
///
/// It is a value under its owner's lock and makes no calls. Each event is one function that returns what the owner must
/// do after it has released the lock.
struct Exchange: Sendable {
    enum State: Sendable {
        /// Nobody has called `resume()`.
        case notSent
        /// The request is encoded, adapted or authorized, or waits for the delay before a retry.
        case waitingToSend
        case transferring(Current)
        /// The transfer is kept because it knows the metrics and trailers.
        case complete(Current?)
    }

    /// The current transfer.
    struct Current: Sendable {
        enum Phase: Sendable {
            /// No head has arrived.
            case sending
            /// The follow-up policies look at the head or at the failure.
            case deciding(TransferOutcome)
            /// The head is accepted.
            case receiving(ResponseHead)
            /// The transfer has completed.
            case received
        }

        let transfer: any Transfer
        fileprivate(set) var phase = Phase.sending
        /// The last call to the transfer that starts, pauses, resumes or cancels it.
        fileprivate var lastCall = LastCall.none
        /// Whether the transfer was told to deliver the body in parts.
        fileprivate var deliversParts = false
    }

    fileprivate enum LastCall: Sendable {
        case none, resume, pause, cancel
    }

    /// A call to a transfer, to be made after the owner has released its lock.
    enum Call: Sendable {
        case start(any Transfer, BodyDelivery)
        case deliverParts(any Transfer)
        case setPaused(any Transfer, Bool, change: Int)
        case cancel(any Transfer)
    }

    private(set) var state = State.notSent
    /// The number of the current transfer, from 0 on.
    private(set) var number = 0
    /// Whether the caller has suspended the task.
    private(set) var isSuspended = true
    /// Whether the body sink is full.
    private(set) var isSinkFull = false
    /// How the body is delivered, from the current transfer on.
    private(set) var delivery = BodyDelivery.collected
    /// How often a transfer was paused or resumed.
    private var pauseChanges = 0
    /// The attempt under way.
    var attempt = Attempt()
    /// The data source's permission for the attempt under way. It is `nil` if the data source follows redirects itself.
    private(set) var permit: AttemptPermit?
    /// The current transfer's request. It is `nil` if the data source follows redirects itself.
    var request: URLRequest?
    /// When the current transfer began, on the monotonic clock.
    private(set) var start: UInt64 = 0
    /// The redirects of this attempt that were followed.
    private(set) var redirects: [TransferMetrics.Hop] = []
    /// The transfer before the current one. It may still drain its body.
    private var draining: (any Transfer)?
    /// The transfers that were replaced by another one. They know how often libcurl sent their requests.
    private(set) var replaced: [any Transfer] = []
}

extension Exchange {
    var isNotSent: Bool { if case .notSent = state { true } else { false } }
    var isComplete: Bool { if case .complete = state { true } else { false } }
    /// Whether the transfer is paused, by the caller or because the body sink is full.
    var isPaused: Bool { isSuspended || isSinkFull }
    var deliversParts: Bool { delivery == .parts }

    /// The transfer under way.
    var transfer: (any Transfer)? {
        if case .transferring(let current) = state { current.transfer } else { nil }
    }

    /// The transfer that has completed, which knows the metrics and trailers.
    var completedTransfer: (any Transfer)? {
        switch state {
        case .transferring(let current), .complete(let current?):
            if case .received = current.phase { current.transfer } else { nil }
        case .notSent, .waitingToSend, .complete(nil): nil
        }
    }

    /// The head of the response that is being received, and the number of its transfer.
    typealias AcceptedHead = (head: ResponseHead, number: Int)

    var accepted: AcceptedHead? { acceptedHead.map { ($0, number) } }

    var acceptedHead: ResponseHead? {
        if case .transferring(let current) = state, case .receiving(let head) = current.phase {
            head
        } else {
            nil
        }
    }
}

// MARK: - Calls of the task's owner

extension Exchange {
    /// Records that the caller wants the request to be sent.
    ///
    /// - Returns: Whether the owner must send it, for the first time.
    mutating func resume() -> Bool {
        if isComplete { return false }
        isSuspended = false
        guard isNotSent else { return false }
        state = .waitingToSend
        return true
    }

    /// Records that the caller has suspended the task.
    mutating func suspend() {
        if !isNotSent, !isComplete { isSuspended = true }
    }

    mutating func setSinkFull(_ isFull: Bool) { isSinkFull = isFull }

    /// Delivers bodies in parts from now on.
    mutating func deliverParts() { delivery = .parts }

    /// Takes the data source's permission for the attempt that is about to be sent.
    ///
    /// - Returns: Whether the attempt is wanted.
    mutating func takePermit(_ permit: AttemptPermit, number: Int) -> Bool {
        guard number == self.number, case .waitingToSend = state, self.permit == nil else { return false }
        self.permit = permit
        return true
    }

    /// Gives up the permission. The owner ends it after it has released its lock.
    mutating func releasePermit() -> AttemptPermit? { permit.take() }

    /// Takes the transfer that was made for the request with this number.
    ///
    /// - Parameter request: The transfer's request, or `nil` if the data source follows redirects itself.
    /// - Returns: Whether the transfer is wanted.
    mutating func begin(_ transfer: any Transfer, number: Int, sending request: URLRequest?) -> Bool {
        guard number == self.number, case .waitingToSend = state else { return false }
        state = .transferring(Current(transfer: transfer))
        self.request = request
        start = DispatchTime.now().uptimeNanoseconds
        return true
    }

    /// Completes the exchange, for the first and only time.
    ///
    /// - Returns: Whether the exchange was under way. The next call of `nextCall()` cancels its transfer.
    mutating func complete() -> Bool {
        switch state {
        case .complete: return false
        case .transferring(let current): state = .complete(current)
        case .notSent, .waitingToSend: state = .complete(nil)
        }
        return true
    }

    /// Returns the next call to the transfer, or `nil` if the transfer does what it should.
    mutating func nextCall() -> Call? {
        switch state {
        case .notSent, .waitingToSend: return nil
        case .complete where draining != nil: return draining.take().map(Call.cancel)
        case .complete(var current?):
            if case .received = current.phase { return nil }
            if current.lastCall == .cancel { return nil }
            current.lastCall = .cancel
            state = .complete(current)
            return .cancel(current.transfer)
        case .complete(nil): return nil
        case .transferring(var current):
            defer { state = .transferring(current) }
            if deliversParts, !current.deliversParts, current.lastCall != .none {
                current.deliversParts = true
                return .deliverParts(current.transfer)
            }
            switch (current.lastCall, isPaused) {
            case (.none, false):
                current.lastCall = .resume
                current.deliversParts = deliversParts
                return .start(current.transfer, delivery)
            case (.resume, true), (.pause, false):
                current.lastCall = isPaused ? .pause : .resume
                pauseChanges += 1
                return .setPaused(current.transfer, isPaused, change: pauseChanges)
            case (.none, true), (.resume, false), (.pause, true), (.cancel, _): return nil
            }
        }
    }
}

// MARK: - A transfer's events

extension Exchange {
    /// What the owner does with a head or a completion.
    enum Step: Sendable {
        /// The event belongs to a transfer that was replaced or cancelled.
        case drop
        /// Follow-up policies decide.
        case decide
        case deliver
    }

    /// Takes the head of the current transfer.
    mutating func receiveHead(_ head: ResponseHead, from number: Int, needsDecision: Bool) -> Step {
        changeCurrent(number) { current in
            guard case .sending = current.phase else { return .drop }
            current.phase = needsDecision ? .deciding(.head(head)) : .receiving(head)
            return needsDecision ? .decide : .deliver
        }
    }

    /// Whether a body part belongs to an accepted response.
    func takesBodyParts(from number: Int) -> Bool { number == self.number && acceptedHead != nil }

    /// Returns whether the transfer must pause after a body part.
    mutating func flow(from number: Int) -> Flow {
        guard number == self.number, case .transferring(var current) = state, isPaused else { return .more }
        if current.lastCall == .resume {
            current.lastCall = .pause
            pauseChanges += 1
            state = .transferring(current)
        }
        return .pause
    }

    /// Takes the completion of the current transfer.
    mutating func receiveCompletion(
        _ result: TransferResult, from number: Int, needsDecision: Bool
    ) -> Step {
        changeCurrent(number) { current in
            switch (current.phase, result) {
            case (.deciding, _), (.received, _): return .drop
            case (.sending, .failure(let error, let head)) where needsDecision:
                current.phase = .deciding(.failure(error, head))
                return .decide
            case (.receiving(let head), .failure(let error, _)) where needsDecision:
                current.phase = .deciding(.interruption(error, head))
                return .decide
            case (.sending, _), (.receiving, _):
                current.phase = .received
                return .deliver
            }
        }
    }

    private mutating func changeCurrent(_ number: Int, _ change: (inout Current) -> Step) -> Step {
        guard number == self.number, case .transferring(var current) = state else { return .drop }
        defer { state = .transferring(current) }
        return change(&current)
    }
}

// MARK: - Decisions

extension Exchange {
    /// Accepts the head or the failure on which follow-up policies have decided.
    ///
    /// - Returns: Whether the transfer is still the current one.
    mutating func acceptOutcome(of number: Int) -> Bool {
        let step = changeCurrent(number) { current in
            guard case .deciding(let outcome) = current.phase else { return .drop }
            current.phase = outcome.head.map(Current.Phase.receiving) ?? .received
            return .deliver
        }
        return step == .deliver
    }

    /// Replaces the transfer by another one.
    ///
    /// - Returns: The number of the next transfer, with an earlier transfer that must stop to drain its body. `nil` if the
    ///   transfer isn't the current one any more.
    mutating func sendAgain(
        because cause: FollowUp.Cause, after number: Int
    ) -> (next: Int, drained: (any Transfer)?)? {
        guard number == self.number, case .transferring(let current) = state,
            case .deciding(let outcome) = current.phase
        else { return nil }
        if cause == .redirect, case .head(let head) = outcome { noteRedirect(head) }
        let drained = draining
        draining = outcome.head == nil ? nil : current.transfer
        replaced.append(current.transfer)
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
            TransferMetrics.Hop(
                request: request, head: head.response,
                start: Date(timeIntervalSinceNow: -Double(nanoseconds) / 1e9),
                duration: .nanoseconds(Int64(nanoseconds))))
    }
}
