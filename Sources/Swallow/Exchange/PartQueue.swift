import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The calls that a data task makes to its creator: parts, where a receiver wants them, then the completion, once.
///
/// A value that its owner keeps under a lock; it orders the calls as ``DataTask/stream(to:)`` promises. After each
/// change the owner takes `firstCall()`, makes it outside the lock, and goes on with `next()` until that gives none:
/// ``Outbox`` does so. Without a receiver of parts, the completion is the only call.
package struct PartQueue: Sendable {
    package typealias Receiver = @Sendable (ResponsePart) -> Void
    package typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    /// Like ``Completion``, but takes an ``Ending``, whose response is made only when it is read.
    package typealias Finish = @Sendable (Ending) -> Void

    /// A call that is due, to be made without the lock.
    package enum Call: Sendable {
        case part(ResponsePart, Receiver)
        case end(End)

        package func callAsFunction() {
            switch self {
            case .part(let part, let receiver): receiver(part)
            case .end(let end): end()
            }
        }

        /// Whether no call follows.
        package var isLast: Bool { if case .end = self { true } else { false } }
    }

    /// The last call. It holds all that must be released with it, outside the lock.
    package struct End: Sendable {
        fileprivate let finish: Finish
        /// The ending given to `end(with:)`; nil if a failure came first.
        fileprivate let ownEnding: Ending?
        fileprivate let failure: (any Error)?
        fileprivate let stream: Stream?

        package var ending: Ending { failure.map(Ending.failure) ?? ownEnding ?? Ending(nil, nil, nil) }

        package func callAsFunction() { finish(ending) }
    }

    /// The receiver of parts, and the parts that wait; nil unless parts are wanted.
    fileprivate struct Stream: Sendable {
        let receiver: Receiver
        var parts = BodyPartQueue<ResponsePart>(highWaterMark: 128 * 1024, lowWaterMark: 64 * 1024)
    }

    /// Nil once it was called, or the task was abandoned.
    private var finish: Finish?
    /// The end, once it has come.
    private var ending: Ending?
    private var stream: Stream?
    /// Whether a thread makes calls; the receiver may still be in one.
    private var isCalling = false
    private var isAbandoned = false
    /// Whether calls are held.
    package private(set) var isSuspended = false
    /// The error that ends the task at once, suspended or not.
    private var failure: (any Error)?

    package init(_ finish: @escaping Finish) {
        self.finish = finish
    }

    private var isFailing: Bool { failure != nil }

    /// Whether the task has yet to end.
    package var isOpen: Bool { finish != nil && ending == nil && !isFailing }

    /// Whether parts are wanted.
    package var isStreamed: Bool { stream != nil }

    /// Whether the sender should pause, since many bytes wait. Half of them have to be taken before it goes on.
    package var isFull: Bool { stream?.parts.flow == .pause }

    /// How many bytes wait to be taken.
    package var backlog: Int { stream?.parts.byteCount ?? 0 }
}

// MARK: - Changes

extension PartQueue {
    /// Sets the receiver of parts; only the first one counts, and none after the end.
    ///
    /// - Returns: whether this one was set.
    package mutating func stream(to receiver: @escaping Receiver) -> Bool {
        guard isOpen, stream == nil else { return false }
        stream = Stream(receiver: receiver)
        return true
    }

    /// Takes a part, if parts are wanted; the head comes first.
    package mutating func add(_ part: ResponsePart) {
        guard isOpen else { return }
        switch part {
        case .head: stream?.parts.add(part)
        case .bytes(let bytes):
            if !bytes.isEmpty { stream?.parts.add(part, byteCount: bytes.count) }
        }
    }

    /// Ends the task, after the parts it was given before; the first ending counts.
    package mutating func end(with ending: Ending) {
        if isOpen { self.ending = ending }
    }

    /// Ends the task with an error at once, suspended or not, unless the completion was called: parts that wait are dropped.
    /// A call of the receiver that is under way comes to its end first.
    package mutating func fail(with error: any Error) {
        // An ending that waits stays here, so that it is released with the last call, outside the lock.
        if finish != nil, !isFailing { failure = error }
    }

    /// Ends the task without a call to its creator.
    ///
    /// - Returns: the former queue, to be released outside the lock.
    package mutating func abandon() -> PartQueue {
        defer { (finish, ending, failure, stream, isAbandoned) = (nil, nil, nil, nil, true) }
        return self
    }

    package mutating func suspend() { isSuspended = true }
    package mutating func resume() { isSuspended = false }
}

// MARK: - Calls

extension PartQueue {
    private var isCallDue: Bool {
        guard finish != nil else { return false }
        return isFailing
            || !isSuspended && (ending != nil || stream.map { !$0.parts.isEmpty } == true)
    }

    /// Whether a call is due that must not be made inside a function of the task's own, and no thread makes calls.
    package var isCallDueElsewhere: Bool { stream != nil && !isFailing && !isCalling && isCallDue }

    /// Takes the turn, and the first call, if one is due; the owner then makes it and those of `next()`.
    ///
    /// - Parameter isOwnCall: whether this is inside a function of the task's own. There only a completion is called.
    /// - Returns: nil where none is due, and where another thread has the turn.
    package mutating func firstCall(isOwnCall: Bool = false) -> Call? {
        if isOwnCall, stream != nil, !isFailing { return nil }
        return isCalling ? nil : next()
    }

    /// Takes an end back for another thread to call, which it does unless the task is suspended or abandoned by then.
    package mutating func putBack(_ end: End) {
        if isAbandoned { return }
        (finish, ending, failure, stream) = (end.finish, end.ownEnding, end.failure, end.stream)
    }

    /// The next call of the thread that has the turn; nil where none is due any more, and the turn is given up.
    package mutating func next() -> Call? {
        guard isCallDue else {
            isCalling = false
            return nil
        }
        if !isFailing, let part = stream?.parts.take().element, let receiver = stream?.receiver {
            isCalling = true
            return .part(part, receiver)
        }
        guard let finish = finish.take() else { return nil }
        return .end(
            End(finish: finish, ownEnding: ending.take(), failure: failure.take(), stream: stream.take()))
    }
}

// MARK: - The end

/// What a data task ends with: a body and a response, or an error.
package struct Ending: Sendable {
    private enum Answer: Sendable {
        case http(ResponseHead)
        /// No response, or one that isn't of HTTP.
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
