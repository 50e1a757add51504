import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The state machine that carries one task's request through all of its transfers. Its owner stores it under a lock,
/// and performs the returned calls and steps outside the lock.
struct Exchange: Sendable {
    enum State: Sendable {
        case notSent
        case waitingToSend
        case transferring(Current)
        /// The transfer is stored because it knows the metrics and trailers.
        case complete(Current?)
    }

    struct Current: Sendable {
        enum Phase: Sendable {
            case sending
            case deciding(TransferOutcome)
            case receiving(ResponseHead)
            case received
        }

        let transfer: any Transfer
        fileprivate(set) var phase = Phase.sending
        /// The last call that starts, pauses, resumes or cancels the transfer.
        fileprivate var lastCall = LastCall.none
        fileprivate var deliversParts = false
    }

    fileprivate enum LastCall: Sendable {
        case none, resume, pause, cancel
    }

    enum Call: Sendable {
        case start(any Transfer, BodyDelivery)
        case deliverParts(any Transfer)
        case setPaused(any Transfer, Bool, change: Int)
        case cancel(any Transfer)
    }

    private(set) var state = State.notSent
    private(set) var number = 0
    private(set) var isSuspended = true
    private(set) var isSinkFull = false
    private(set) var delivery = BodyDelivery.collected
    private var pauseChanges = 0
    var attempt = Attempt()
    /// `nil` if the data source follows redirects itself.
    private(set) var permit: AttemptPermit?
    /// The current transfer's request. `nil` if the data source follows redirects itself.
    var request: URLRequest?
    private(set) var start: UInt64 = 0
    private(set) var redirects: [TransferMetrics.Redirect] = []
    /// The previous transfer, if it may still be draining its body.
    private var draining: (any Transfer)?
    /// The transfers that were replaced. They know how often libcurl sent their requests.
    private(set) var replaced: [any Transfer] = []
}

extension Exchange {
    var isNotSent: Bool { if case .notSent = state { true } else { false } }
    var isComplete: Bool { if case .complete = state { true } else { false } }
    var isPaused: Bool { isSuspended || isSinkFull }
    var deliversParts: Bool { delivery == .parts }

    var transfer: (any Transfer)? {
        if case .transferring(let current) = state { current.transfer } else { nil }
    }

    var completedTransfer: (any Transfer)? {
        switch state {
        case .transferring(let current), .complete(let current?):
            if case .received = current.phase { current.transfer } else { nil }
        case .notSent, .waitingToSend, .complete(nil): nil
        }
    }

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
    /// Returns whether the owner must send the request for the first time.
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

    mutating func deliverParts() { delivery = .parts }

    mutating func takePermit(_ permit: AttemptPermit, number: Int) -> Bool {
        guard number == self.number, case .waitingToSend = state, self.permit == nil else { return false }
        self.permit = permit
        return true
    }

    mutating func releasePermit() -> AttemptPermit? { permit.take() }

    /// Returns whether the transfer is still wanted. `request` is `nil` if the data source follows redirects itself.
    mutating func begin(_ transfer: any Transfer, number: Int, sending request: URLRequest?) -> Bool {
        guard number == self.number, case .waitingToSend = state else { return false }
        state = .transferring(Current(transfer: transfer))
        self.request = request
        start = DispatchTime.now().uptimeNanoseconds
        return true
    }

    /// Returns `true` the first time. The next `nextCall()` then cancels the transfer.
    mutating func complete() -> Bool {
        switch state {
        case .complete: return false
        case .transferring(let current): state = .complete(current)
        case .notSent, .waitingToSend: state = .complete(nil)
        }
        return true
    }

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
    enum Step: Sendable {
        case drop
        case decide
        case deliver
    }

    mutating func receiveHead(_ head: ResponseHead, from number: Int, needsDecision: Bool) -> Step {
        changeCurrent(number) { current in
            guard case .sending = current.phase else { return .drop }
            current.phase = needsDecision ? .deciding(.head(head)) : .receiving(head)
            return needsDecision ? .decide : .deliver
        }
    }

    func takesBodyParts(from number: Int) -> Bool { number == self.number && acceptedHead != nil }

    mutating func flow(from number: Int) -> Flow {
        guard number == self.number, case .transferring(var current) = state, isPaused else { return .more }
        if current.lastCall == .resume {
            current.lastCall = .pause
            pauseChanges += 1
            state = .transferring(current)
        }
        return .pause
    }

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
    /// Accepts the outcome that follow-up policies have decided about. Returns `false` for a replaced transfer.
    mutating func acceptOutcome(of number: Int) -> Bool {
        let step = changeCurrent(number) { current in
            guard case .deciding(let outcome) = current.phase else { return .drop }
            current.phase = outcome.head.map(Current.Phase.receiving) ?? .received
            return .deliver
        }
        return step == .deliver
    }

    /// Returns the next number, and an earlier transfer that must no longer drain. `nil` if the transfer was replaced.
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
            TransferMetrics.Redirect(
                request: request, head: head.response,
                start: Date(timeIntervalSinceNow: -Double(nanoseconds) / 1e9),
                duration: .nanoseconds(Int64(nanoseconds))))
    }
}
