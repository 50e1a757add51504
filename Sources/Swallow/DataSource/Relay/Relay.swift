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
        case again(URLRequest, after: Duration = .zero)
    }

    /// What the judge is asked about.
    enum Finding: Sendable {
        case head(HTTPURLResponse)
        case failure(any Error)
    }

    enum Step: Sendable {
        case none
        /// Tell the attempt's data task what is wanted of it.
        case signal
        /// Ask the judge, and take its verdict.
        case judge(Finding, URLRequest, rejected: Int)
        /// Make the data task of an attempt, and begin it.
        case send(URLRequest, attempt: Int, after: Duration, replacing: (any DataTask)?)
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
    private var completion: Completion
    private var transfer = TransferState()
    /// What the current attempt sends; nil once the relay has ended.
    private(set) var request: URLRequest?
    /// How many attempts were rejected: the number of the current one.
    private(set) var rejected = 0

    init(_ request: URLRequest, _ completion: @escaping Completion.Handler) {
        self.request = request
        self.completion = Completion(completion)
    }
}

// MARK: - The data task's functions

extension Relay {
    mutating func resume() -> Step {
        if let call = completion.resume() { return .end(call) }
        guard transfer.resume(), let request else { return .signal }
        return .send(request, attempt: rejected, after: .zero, replacing: nil)
    }

    mutating func suspend() -> Step {
        completion.suspend()
        transfer.suspend()
        return .signal
    }

    /// Ends at once, suspended or not.
    mutating func fail(with error: any Error) -> Step {
        end(completion.fail(with: error), cancelling: true)
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
    mutating func begin(_ dataTask: any DataTask) -> Bool {
        transfer.begin(dataTask)
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
        return .judge(.head(response), request, rejected: rejected)
    }

    /// Takes the end of an attempt, whose head may not have been judged.
    mutating func receive(_ ending: Ending, of attempt: Int) -> Step {
        guard attempt == rejected, let request else { return .none }
        switch phase {
        case .accepted: return end(completion.end(with: ending), cancelling: false)
        case .judging(let earlier):
            phase = .judging(earlier ?? ending)
            return .none
        case .awaitingHead:
            guard let finding = Finding(ending) else {
                return end(completion.end(with: ending), cancelling: false)
            }
            phase = .judging(ending)
            return .judge(finding, request, rejected: rejected)
        }
    }

    /// Takes what the judge says of the current attempt, unless the relay has ended meanwhile.
    mutating func take(_ verdict: Verdict) -> Step {
        guard case .judging(let ending) = phase, request != nil else { return .none }
        switch verdict {
        case .accept:
            phase = .accepted
            guard let ending else { return .none }
            return end(completion.end(with: ending), cancelling: false)
        case .fail(let error):
            return end(completion.end(with: .failure(error)), cancelling: ending == nil)
        case .again(let next, let delay):
            phase = .awaitingHead
            request = next
            rejected += 1
            return .send(next, attempt: rejected, after: delay, replacing: transfer.startAnew())
        }
    }
}

extension Relay.Finding {
    /// What the end of an attempt shows; nil where that is neither an HTTP response nor an error.
    fileprivate init?(_ ending: Ending) {
        if let error = ending.error {
            self = .failure(error)
        } else if let response = ending.response as? HTTPURLResponse {
            self = .head(response)
        } else {
            return nil
        }
    }
}
