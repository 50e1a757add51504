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
        /// The relay has ended.
        case end
    }

    private enum Phase: Sendable {
        /// The head of the attempt isn't here.
        case awaitingHead
        /// The judge looks at the attempt, which may end meanwhile.
        case judging(Ending?)
        case accepted
    }

    private var phase = Phase.awaitingHead
    private var queue: PartQueue
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

    init(_ request: URLRequest, _ completion: @escaping PartQueue.Completion) {
        self.init(request, PartQueue(completion))
    }

    init(_ request: URLRequest, _ queue: PartQueue) {
        self.request = request
        self.queue = queue
    }
}

// MARK: - The data task's functions

extension Relay {
    mutating func resume() -> Step {
        queue.resume()
        guard transfer.resume(), let request else { return .signal }
        return .send(request, attempt: rejected)
    }

    mutating func suspend() -> Step {
        queue.suspend()
        transfer.suspend()
        return .signal
    }

    /// Ends at once, suspended or not.
    mutating func fail(with error: any Error) -> Step {
        queue.fail(with: error)
        return end(cancelling: true)
    }

    mutating func stream(to receiver: @escaping PartQueue.Receiver) -> Step {
        guard queue.stream(to: receiver), let dataTask = transfer.current, streamsAttempt() else {
            return .none
        }
        return .stream(dataTask, attempt: rejected)
    }

    private mutating func end(with ending: Ending, cancelling: Bool = false) -> Step {
        queue.end(with: ending)
        return end(cancelling: cancelling)
    }

    private mutating func end(cancelling: Bool) -> Step {
        _ = transfer.end(cancelling: cancelling)
        request = nil
        return .end
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
        guard queue.isStreamed, !isAttemptStreamed, request != nil else { return false }
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
            queue.add(part)
            guard !transfer.isHeld, queue.isFull else { return .none }
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
        case .accepted: return end(with: ending)
        case .judging(let earlier):
            phase = .judging(earlier ?? ending)
            return .none
        case .awaitingHead:
            guard let finding = Finding(ending) else {
                return end(with: ending)
            }
            phase = .judging(ending)
            return .judge(finding, request, rejected: rejected)
        }
    }

    /// Asks the receiver whether it would make short work of a response.
    var endsQuickly: (@Sendable (ResponseHead) -> Bool)? {
        if case .awaitingHead = phase { queue.endsQuickly } else { nil }
    }

    /// Takes what the judge says of the current attempt, unless the relay has ended meanwhile.
    mutating func take(_ verdict: Verdict) -> Step {
        guard case .judging(let ending) = phase, request != nil else { return .none }
        switch verdict {
        case .accept:
            phase = .accepted
            for part in early { queue.add(part) }
            early = []
            guard let ending else { return .none }
            return end(with: ending)
        case .fail(let error):
            return end(with: .failure(error), cancelling: ending == nil)
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
    /// Whether a call is due that must not be made inside a function of the task's own.
    var isCallDueElsewhere: Bool { queue.isCallDueElsewhere }

    /// Takes the turn to make the calls that are due, and the first of them.
    mutating func firstCall(isOwnCall: Bool = false) -> (PartQueue.Call?, isReleased: Bool) {
        let call = queue.firstCall(isOwnCall: isOwnCall)
        return (call, release())
    }

    /// The next call of the thread that has the turn.
    ///
    /// - Returns: the call, and whether the attempt's data task may go on that was held back.
    mutating func nextCall() -> (PartQueue.Call?, isReleased: Bool) {
        let call = queue.next()
        return (call, release())
    }

    private mutating func release() -> Bool {
        guard transfer.isHeld, !queue.isFull else { return false }
        transfer.hold(false)
        return true
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
