import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a data task ends with: a body and a response, or an error.
package struct Ending: Sendable {
    private enum Answer: Sendable {
        case http(ResponseHead)
        /// None, or one that is no response of HTTP.
        case other(URLResponse?)

        init(_ response: URLResponse?) {
            self = (response as? HTTPURLResponse).map { .http(ResponseHead($0)) } ?? .other(response)
        }
    }

    package var data: Data?
    private var answer: Answer
    package var error: (any Error)?

    package init(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        self.data = data
        answer = Answer(response)
        self.error = error
    }

    init(_ data: Data?, _ head: ResponseHead) {
        self.data = data
        answer = .http(head)
    }

    package var response: URLResponse? {
        get {
            switch answer {
            case .http(let head): head.response
            case .other(let response): response
            }
        }
        set { answer = Answer(newValue) }
    }

    /// The head of a response of HTTP.
    var head: ResponseHead? { if case .http(let head) = answer { head } else { nil } }

    package static func failure(_ error: any Error) -> Ending { Ending(nil, nil, error) }
}

/// A data task's completion: called once, and not while the task is suspended.
///
/// A value, for the state that its owner locks. Its functions return the call that is due, to be made outside the
/// lock.
package struct Completion: Sendable {
    package typealias Handler = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

    /// Who takes the ending.
    struct Receiver: Sendable {
        let receive: @Sendable (Ending) -> Void
        /// Whether taking a response runs no code of the app's and does nothing that takes long: then a thread may do it that
        /// others wait for. Nil stands for never.
        var endsQuickly: (@Sendable (ResponseHead) -> Bool)?
    }

    /// A call that is due.
    package struct Call: Sendable {
        let receiver: Receiver
        package let ending: Ending
        /// What is let go of together with the call.
        var leftovers: Delivery.Leftovers?

        package func callAsFunction() { receiver.receive(ending) }
    }

    private enum State: Sendable {
        case due(Receiver, isSuspended: Bool)
        /// The end came while the task was suspended.
        case held(Call)
        case called
    }

    private var state: State

    package init(_ handler: @escaping Handler) {
        self.init(Receiver { ending in handler(ending.data, ending.response, ending.error) })
    }

    init(_ receiver: Receiver) {
        state = .due(receiver, isSuspended: false)
    }

    /// Whether the task has yet to end.
    package var isDue: Bool { if case .due = state { true } else { false } }

    /// Whether an ending would be held.
    var isSuspended: Bool { if case .due(_, let isSuspended) = state { isSuspended } else { false } }

    /// Asks the receiver whether it would make short work of a response; to be called outside the lock.
    var endsQuickly: (@Sendable (ResponseHead) -> Bool)? {
        if case .due(let receiver, isSuspended: false) = state { receiver.endsQuickly } else { nil }
    }

    /// Ends the task now, or at `resume()`; the first ending counts.
    package mutating func end(with ending: Ending) -> Call? {
        guard case .due(let receiver, let isSuspended) = state else { return nil }
        let call = Call(receiver: receiver, ending: ending)
        state = isSuspended ? .held(call) : .called
        return isSuspended ? nil : call
    }

    /// Ends the task with an error at once, suspended or not, unless the completion was called.
    package mutating func fail(with error: any Error) -> Call? {
        endAtOnce(with: .failure(error))
    }

    /// Ends the task at once, suspended or not, unless the completion was called.
    mutating func endAtOnce(with ending: Ending) -> Call? {
        defer { state = .called }
        switch state {
        case .due(let receiver, _): return Call(receiver: receiver, ending: ending)
        case .held(let call): return Call(receiver: call.receiver, ending: ending)
        case .called: return nil
        }
    }

    package mutating func suspend() {
        if case .due(let receiver, _) = state { state = .due(receiver, isSuspended: true) }
    }

    package mutating func resume() -> Call? {
        switch state {
        case .due(let receiver, _):
            state = .due(receiver, isSuspended: false)
            return nil
        case .held(let call):
            state = .called
            return call
        case .called: return nil
        }
    }
}

/// A completion that several hold.
extension Lock<Completion> {
    var isDue: Bool { withLock { $0.isDue } }

    func end(with ending: Ending) { withLock { $0.end(with: ending) }?() }
    func fail(with error: any Error) { withLock { $0.fail(with: error) }?() }
    func suspend() { withLock { $0.suspend() } }
    func resume() { withLock { $0.resume() }?() }
}
