import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides which call a data task makes to its creator next: body parts if a receiver wants them, and the completion once.
///
/// The owner keeps this value under its lock. After each change it takes `firstCall()`, makes that call outside the lock,
/// and continues with `next()` until that returns `nil`. The calls are therefore made in the order that
/// ``DataTask/stream(to:)`` promises. Without a receiver, the completion is the only call, and it has the complete body.
package struct PartQueue: Sendable {
    package typealias Receiver = @Sendable (ResponsePart) -> Void
    package typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

    /// A call that is due, to be made without the lock.
    enum Call: Sendable {
        /// `hasRoom` is `true` if the queue was full and has room again.
        case part(ResponsePart, Receiver, hasRoom: Bool)
        case end(End)
    }

    /// The last call. It holds the former queue, so that the queue's contents are released outside the lock.
    struct End: Sendable {
        fileprivate let queue: PartQueue

        var ending: Ending { queue.failure.map(Ending.failure) ?? queue.ending ?? Ending(nil, nil, nil) }

        func callAsFunction() {
            let ending = ending
            queue.completion?(ending.data, ending.response, ending.error)
        }
    }

    /// `nil` after its call.
    private var completion: Completion?
    /// `nil` before the end, and after the completion.
    private var ending: Ending?
    /// `nil` unless body parts are wanted.
    private var receiver: Receiver?
    /// The head and the body parts that wait for the receiver or for the end.
    private var parts = BodyPartQueue<ResponsePart>(highWaterMark: 128 * 1024, lowWaterMark: 64 * 1024)
    /// Whether a thread makes calls. It may be in a call of the receiver.
    private var isCalling = false
    private var isSuspended = false
    /// The error that ends the task at once, suspended or not.
    private var failure: (any Error)?

    init(_ completion: @escaping Completion) {
        self.completion = completion
    }

    private var isFailing: Bool { failure != nil }

    /// Whether the task has yet to end.
    var isOpen: Bool { completion != nil && ending == nil && !isFailing }

    /// Whether body parts are wanted.
    var isStreamed: Bool { receiver != nil }

    /// Whether the sender should pause, because 128 KB wait for the receiver. There is room again when 64 KB are left.
    var isFull: Bool { isStreamed && parts.flow == .pause }
}

// MARK: - Changes

extension PartQueue {
    /// Sets the receiver of the head and the body parts. Only the first receiver counts, and none after the end.
    ///
    /// - Returns: Whether this receiver was set.
    mutating func stream(to receiver: @escaping Receiver) -> Bool {
        guard isOpen, !isStreamed else { return false }
        self.receiver = receiver
        return true
    }

    mutating func add(_ part: ResponsePart) {
        guard isOpen else { return }
        switch part {
        case .head: parts.add(part)
        case .bytes(let bytes): if !bytes.isEmpty { parts.add(part, byteCount: bytes.count) }
        }
    }

    /// Ends the task after the body parts that were added before. Only the first ending counts.
    mutating func end(with ending: Ending) {
        guard isOpen else { return }
        var ending = ending
        if !isStreamed, ending.error == nil { ending.data = parts.removeAll().body(endingWith: ending.data) }
        self.ending = ending
    }

    /// Fails the task at once, suspended or not, unless the completion was called. Body parts that wait are dropped. If a
    /// call of the receiver is under way, the completion follows it.
    mutating func fail(with error: any Error) {
        // An ending that waits stays here, so that it is released with the last call, outside the lock.
        if completion != nil, !isFailing { failure = error }
    }

    mutating func suspend() { isSuspended = true }
    mutating func resume() { isSuspended = false }
}

// MARK: - Calls

extension PartQueue {
    private var isCallDue: Bool {
        guard completion != nil else { return false }
        return isFailing || !isSuspended && (ending != nil || isStreamed && !parts.isEmpty)
    }

    /// Whether a call is due that must not be made inside one of the task's own functions, and no thread makes calls.
    var isCallDueElsewhere: Bool { isStreamed && !isFailing && !isCalling && isCallDue }

    /// Returns the first call for a thread that can make calls. The thread then makes those of `next()`.
    ///
    /// - Parameter isOwnCall: Whether this is inside one of the task's own functions, in which no receiver may be called.
    /// - Returns: `nil` if no call is due, and if another thread makes calls.
    mutating func firstCall(isOwnCall: Bool = false) -> Call? {
        if isOwnCall, isStreamed, !isFailing { return nil }
        return isCalling ? nil : next()
    }

    /// Returns the next call for the thread that makes calls. After `nil`, another thread may make calls.
    mutating func next() -> Call? {
        isCalling = isCallDue
        guard isCalling else { return nil }
        if !isFailing, let receiver {
            let (part, hasRoom) = parts.take()
            if let part { return .part(part, receiver, hasRoom: hasRoom) }
        }
        let end = End(queue: self)
        (completion, ending, failure, receiver) = (nil, nil, nil, nil)
        _ = parts.removeAll()
        return .end(end)
    }
}

extension [ResponsePart] {
    /// Returns the complete body, which consists of these body parts and the rest.
    fileprivate func body(endingWith rest: Data?) -> Data? {
        let bytes = compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } }
        if bytes.isEmpty { return rest }
        if bytes.count == 1, rest?.isEmpty ?? true { return bytes[0] }
        return Data(bytes.joined()) + (rest ?? Data())
    }
}
