import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides which call a data task makes to its creator next, as ``DataTask/stream(to:)`` promises. The owner stores
/// this value under its lock. After a change, it makes `firstCall()` outside the lock, and then each call of `next()`.
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

        var result: DataTaskResult {
            queue.failure.map(DataTaskResult.failure) ?? queue.result ?? DataTaskResult(nil, nil, nil)
        }

        func callAsFunction() {
            let result = result
            queue.completion?(result.data, result.response, result.error)
        }
    }

    private var completion: Completion?
    private var result: DataTaskResult?
    private var receiver: Receiver?
    private var parts = BodyPartQueue<ResponsePart>(highWaterMark: 128 * 1024, lowWaterMark: 64 * 1024)
    private var isCalling = false
    private var isSuspended = false
    private var failure: (any Error)?

    init(_ completion: @escaping Completion) {
        self.completion = completion
    }

    private var isFailing: Bool { failure != nil }

    var isOpen: Bool { completion != nil && result == nil && !isFailing }

    var isStreamed: Bool { receiver != nil }

    /// Whether 128 KB wait for the receiver, so that the sender should pause until 64 KB are left.
    var isFull: Bool { isStreamed && parts.flow == .pause }
}

// MARK: - Changes

extension PartQueue {
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

    /// The body parts that were added before are delivered first. Only the first result counts.
    mutating func end(with result: DataTaskResult) {
        guard isOpen else { return }
        var result = result
        if !isStreamed, result.error == nil { result.data = parts.removeAll().body(endingWith: result.data) }
        self.result = result
    }

    /// Fails the task immediately, even a suspended one. Waiting body parts are dropped.
    mutating func fail(with error: any Error) {
        // A waiting result stays here, so that it is released outside the lock with the last call.
        if completion != nil, !isFailing { failure = error }
    }

    mutating func suspend() { isSuspended = true }
    mutating func resume() { isSuspended = false }
}

// MARK: - Calls

extension PartQueue {
    private var hasNextCall: Bool {
        guard completion != nil else { return false }
        return isFailing || !isSuspended && (result != nil || isStreamed && !parts.isEmpty)
    }

    var hasNextCallElsewhere: Bool { isStreamed && !isFailing && !isCalling && hasNextCall }

    /// Returns the first call, unless another thread makes calls. No receiver is called inside the task's own
    /// functions.
    mutating func firstCall(isOwnCall: Bool = false) -> Call? {
        if isOwnCall, isStreamed, !isFailing { return nil }
        return isCalling ? nil : next()
    }

    mutating func next() -> Call? {
        isCalling = hasNextCall
        guard isCalling else { return nil }
        if !isFailing, let receiver {
            let (part, hasRoom) = parts.take()
            if let part { return .part(part, receiver, hasRoom: hasRoom) }
        }
        let end = End(queue: self)
        (completion, result, failure, receiver) = (nil, nil, nil, nil)
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
