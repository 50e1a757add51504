import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides which call a data task makes to its creator next. The owner stores this value under its lock. After each
/// change, it makes the call of `firstCall()` outside the lock, and then each call of `next()` until that is `nil`. So
/// the order is the one that ``DataTask/stream(to:)`` promises. Without a receiver, the completion is the only call,
/// and receives the complete body.
package struct PartQueue: Sendable {
    package typealias Receiver = @Sendable (ResponsePart) -> Void
    package typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

    enum Call: Sendable {
        /// `hasRoom` is `true` if the queue was full and has room again.
        case part(ResponsePart, Receiver, hasRoom: Bool)
        case end(End)
    }

    /// The last call. It holds the former queue, which is released outside the lock.
    struct End: Sendable {
        fileprivate let queue: PartQueue

        var ending: Ending { queue.failure.map(Ending.failure) ?? queue.ending ?? Ending(nil, nil, nil) }

        func callAsFunction() {
            let ending = ending
            queue.completion?(ending.data, ending.response, ending.error)
        }
    }

    private var completion: Completion?
    private var ending: Ending?
    private var receiver: Receiver?
    private var parts = BodyPartQueue<ResponsePart>(highWaterMark: 128 * 1024, lowWaterMark: 64 * 1024)
    /// Whether a thread makes calls, for example one of the receiver.
    private var isCalling = false
    private var isSuspended = false
    /// Completes the task immediately, even a suspended one.
    private var failure: (any Error)?

    init(_ completion: @escaping Completion) {
        self.completion = completion
    }

    private var isFailing: Bool { failure != nil }

    var isOpen: Bool { completion != nil && ending == nil && !isFailing }

    var isStreamed: Bool { receiver != nil }

    /// Whether 128 KB wait for the receiver, so that the sender should pause until 64 KB are left.
    var isFull: Bool { isStreamed && parts.flow == .pause }
}

// MARK: - Changes

extension PartQueue {
    /// Only the first receiver counts. Returns whether it is this one.
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

    /// The body parts that were added before are delivered first. Only the first ending counts.
    mutating func end(with ending: Ending) {
        guard isOpen else { return }
        var ending = ending
        if !isStreamed, ending.error == nil { ending.data = parts.removeAll().body(endingWith: ending.data) }
        self.ending = ending
    }

    /// Fails the task immediately, even a suspended one. Waiting body parts are dropped. The completion follows a call
    /// of the receiver that is under way.
    mutating func fail(with error: any Error) {
        // A waiting ending stays here, so that it is released outside the lock with the last call.
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

    var isCallDueElsewhere: Bool { isStreamed && !isFailing && !isCalling && isCallDue }

    /// Returns the first call, unless another thread makes calls. Then call `next()`. Pass `isOwnCall` inside one of
    /// the task's own functions, where no receiver may be called.
    mutating func firstCall(isOwnCall: Bool = false) -> Call? {
        if isOwnCall, isStreamed, !isFailing { return nil }
        return isCalling ? nil : next()
    }

    /// After `nil`, another thread may make calls.
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
    fileprivate func body(endingWith rest: Data?) -> Data? {
        let bytes = compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } }
        if bytes.isEmpty { return rest }
        if bytes.count == 1, rest?.isEmpty ?? true { return bytes[0] }
        return Data(bytes.joined()) + (rest ?? Data())
    }
}
