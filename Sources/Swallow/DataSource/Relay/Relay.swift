import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request that is sent once, or again until its judge accepts a response: the decisions, without the calls.
///
/// `RelayDataTask` asks for a step under its lock, and carries it out without it.
struct Relay: Sendable {
    enum Verdict: Sendable {
        /// What the attempt ends with is the end.
        case accept
        case fail(any Error)
        /// The attempt is rejected. Nobody sees its head, and its body is dropped.
        case again(URLRequest)
    }

    /// What the judge is asked about.
    enum Finding: Sendable {
        case head(ResponseHead)
        case failure(any Error)
    }

    enum Step: Sendable {
        case none
        /// Tell the attempt's data task what is wanted of it.
        case signal
        /// Ask the judge, after so many rejected attempts, and take its verdict.
        case judge(Finding, URLRequest, rejected: Int)
        /// Have the attempt's data task stream.
        case stream(any DataTask, attempt: Int)
        /// Cancel the data task of a rejected attempt, whose body is too long.
        case drop(any DataTask)
        /// Let go of one whose body has come to its end; its own end must not come under the lock.
        case release(any DataTask)
        /// Make the data task of an attempt, and begin it. Those before that don't come to their end by themselves are
        /// dropped.
        case send(
            URLRequest, attempt: Int, replacing: (any DataTask)? = nil, dropping: [any DataTask] = [])
        /// The relay has ended; call the completion, unless it is held.
        case end(Completion.Call?)
    }

    private enum Phase: Sendable {
        /// The head of the attempt isn't here.
        case awaitingHead
        /// The judge looks at the attempt, which may end meanwhile.
        case judging(Ending?)
        case accepted
    }

    private var phase = Phase.awaitingHead
    private var delivery: Delivery
    private var transfer = TransferState()
    /// What the current attempt sends; nil once the relay has ended.
    private(set) var request: URLRequest?
    /// How many attempts were rejected: the number of the current one.
    private(set) var rejected = 0
    /// Whether the attempt's data task was told to stream.
    private var isAttemptStreamed = false
    /// What the attempt streamed before its head was judged.
    private var early: [ResponsePart] = []
    /// The streaming data task of the latest rejected attempt, and how much of its body was dropped.
    private var leftover: (dataTask: any DataTask, dropped: Int)?

    /// How much of a rejected attempt's body may come, so that its connection is kept.
    private static let drainLimit = 64 * 1024
    /// How many bytes may wait while another thread is in a call of the receiver: then the attempt's data task is held
    /// back, and it goes on when half are left.
    private static let backlogLimit = 128 * 1024

    init(_ request: URLRequest, _ completion: @escaping Completion.Handler) {
        self.init(request, Delivery(completion))
    }

    init(_ request: URLRequest, _ delivery: Delivery) {
        self.request = request
        self.delivery = delivery
    }
}

// MARK: - The data task's functions

extension Relay {
    mutating func resume() -> Step {
        if let call = delivery.resume() { return .end(call) }
        guard transfer.resume(), let request else { return .signal }
        return .send(request, attempt: rejected)
    }

    mutating func suspend() -> Step {
        delivery.suspend()
        transfer.suspend()
        return .signal
    }

    /// Ends at once, suspended or not.
    mutating func fail(with error: any Error) -> Step {
        end(delivery.fail(with: error), cancelling: true)
    }

    mutating func stream(to receiver: @escaping Delivery.Receiver) -> Step {
        guard delivery.stream(to: receiver), let dataTask = transfer.current, streamsAttempt() else {
            return .none
        }
        return .stream(dataTask, attempt: rejected)
    }

    private mutating func end(_ call: Completion.Call?, cancelling: Bool) -> Step {
        _ = transfer.end(cancelling: cancelling)
        request = nil
        return .end(call)
    }
}

// MARK: - An attempt's life

extension Relay {
    /// Takes the data task that was made for an attempt.
    ///
    /// - Returns: false if nobody wants it any more.
    mutating func begin(_ dataTask: any DataTask) -> Bool { transfer.begin(dataTask) }

    /// Whether the data task that was begun is to be told to stream; the answer is yes once.
    mutating func streamsAttempt() -> Bool {
        guard delivery.isStreamed, !isAttemptStreamed, request != nil else { return false }
        isAttemptStreamed = true
        return true
    }

    /// The next call to make to the attempt's data task.
    mutating func nextSignal(isSender: Bool) -> (any DataTask, TransferState.Signal)? {
        transfer.nextSignal(isSender: isSender)
    }

    /// Takes the request of an attempt in the form in which it can be sent again.
    mutating func replaceRequest(_ request: URLRequest, of attempt: Int) {
        if attempt == rejected, self.request != nil { self.request = request }
    }

    mutating func receiveHead(_ response: HTTPURLResponse, of attempt: Int) -> Step {
        guard attempt == rejected, case .awaitingHead = phase, let request else { return .none }
        phase = .judging(nil)
        return .judge(.head(ResponseHead(response)), request, rejected: rejected)
    }

    /// Takes a part of an attempt. What comes before the head is accepted waits for the verdict; what a rejected attempt
    /// goes on to say is dropped.
    mutating func receive(_ part: ResponsePart, of attempt: Int) -> Step {
        guard attempt == rejected, let request else { return drop(part, of: attempt) }
        if case .accepted = phase {
            delivery.add(part)
            guard !transfer.isHeld, delivery.backlog >= Self.backlogLimit else { return .none }
            transfer.hold(true)
            return .signal
        }
        early.append(part)
        guard case .awaitingHead = phase, case .head(let response) = part else { return .none }
        phase = .judging(nil)
        return .judge(.head(ResponseHead(response)), request, rejected: rejected)
    }

    private mutating func drop(_ part: ResponsePart, of attempt: Int) -> Step {
        guard attempt == rejected - 1, let leftover, case .bytes(let bytes) = part else { return .none }
        self.leftover?.dropped += bytes.count
        guard leftover.dropped + bytes.count > Self.drainLimit else { return .none }
        self.leftover = nil
        return .drop(leftover.dataTask)
    }

    /// Takes the end of an attempt, whose head may not have been judged.
    mutating func receive(_ ending: Ending, of attempt: Int) -> Step {
        guard attempt == rejected, let request else {
            let left = attempt == rejected - 1 ? leftover.take() : nil
            return left.map { .release($0.dataTask) } ?? .none
        }
        switch phase {
        case .accepted: return end(delivery.end(with: ending), cancelling: false)
        case .judging(let earlier):
            phase = .judging(earlier ?? ending)
            return .none
        case .awaitingHead:
            guard let finding = Finding(ending) else {
                return end(delivery.end(with: ending), cancelling: false)
            }
            phase = .judging(ending)
            return .judge(finding, request, rejected: rejected)
        }
    }

    /// Asks the receiver whether it would make short work of a response.
    var endsQuickly: (@Sendable (ResponseHead) -> Bool)? {
        if case .awaitingHead = phase { delivery.endsQuickly } else { nil }
    }

    /// Takes what the judge says of the current attempt, unless the relay has ended meanwhile.
    mutating func take(_ verdict: Verdict) -> Step {
        guard case .judging(let ending) = phase, request != nil else { return .none }
        switch verdict {
        case .accept:
            phase = .accepted
            for part in early { delivery.add(part) }
            early = []
            guard let ending else { return .none }
            return end(delivery.end(with: ending), cancelling: false)
        case .fail(let error):
            return end(delivery.end(with: .failure(error)), cancelling: ending == nil)
        case .again(let next):
            phase = .awaitingHead
            request = next
            rejected += 1
            early = []
            // One that was suspended meanwhile would wait for ever.
            let isDrained = isAttemptStreamed && ending == nil && transfer.isRunning
            let isDropped = isAttemptStreamed && ending == nil && !isDrained
            var dropped = leftover.take().map { [$0.dataTask] } ?? []
            let old = transfer.startAnew()
            if let old, isDrained { leftover = (old, 0) }
            if let old, isDropped { dropped.append(old) }
            isAttemptStreamed = false
            return .send(next, attempt: rejected, replacing: old, dropping: dropped)
        }
    }
}

// MARK: - The calls to whoever made the relay

extension Relay {
    /// Whether a call is due that nobody is about to make.
    var isCallDue: Bool { delivery.isCallDue }

    /// Takes the turn to make the calls that are due.
    mutating func takeTurn() -> Bool { delivery.takeTurn() }

    /// The next call of the one who has the turn.
    ///
    /// - Returns: the call, and whether the attempt's data task may go on that was held back.
    mutating func nextCall() -> (Delivery.Call?, isReleased: Bool) {
        let call = delivery.next()
        guard transfer.isHeld, delivery.backlog <= Self.backlogLimit / 2 else { return (call, false) }
        transfer.hold(false)
        return (call, true)
    }
}

extension Relay.Finding {
    /// What the end of an attempt shows; nil where that is neither an HTTP response nor an error.
    init?(_ ending: Ending) {
        if let error = ending.error {
            self = .failure(error)
        } else if let head = ending.head {
            self = .head(head)
        } else {
            return nil
        }
    }
}
