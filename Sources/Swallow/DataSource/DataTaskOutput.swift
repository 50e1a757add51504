import Foundation

/// Delivers an operation's response to the creator of a ``ManagedDataTask``. Operations may deliver at any time.
package final class DataTaskOutput: ResponseReceiver {
    package typealias Runner = @Sendable (@escaping @Sendable () -> Void) -> Void

    private struct State: Sendable {
        var queue: PartQueue
        var calls = TransferCalls()
        var isScheduled = false
        var onRoom: @Sendable () -> Void = {}
    }

    private let state: Lock<State>
    private let run: Runner

    package init(
        run: @escaping Runner = { DispatchQueue.deliveries.async(execute: $0) },
        _ completion: @escaping PartQueue.Completion
    ) {
        self.run = run
        state = Lock(State(queue: PartQueue(completion)))
    }

    package var isOpen: Bool { state.withLock { $0.queue.isOpen } }

    package var isStreamed: Bool { state.withLock { $0.queue.isStreamed } }

    var isFull: Bool { state.withLock { $0.queue.isFull } }

    func onRoom(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onRoom = action } }

    package func receive(_ part: ResponsePart) { change { $0.queue.add(part) } }

    /// Adds parts without calling the receiver, so it may be called under a lock. `deliver()` must follow.
    package func add(_ parts: [ResponsePart]) {
        state.withLock { state in for part in parts { state.queue.add(part) } }
    }

    package func deliver(onOtherThread: Bool = false) { change(isOwnCall: onOtherThread) { _ in } }

    package func receive(_ result: DataTaskResult) { end { $0.end(with: result) } }

    func fail(with error: any Error) { end { $0.fail(with: error) } }

    private func end(_ endQueue: (inout PartQueue) -> Void) {
        change { state in
            endQueue(&state.queue)
            state.calls.end()
        }
    }
}

extension DataTaskOutput {
    /// Called inside the functions of the task. Returns the next call to the operation, if any.
    func nextCall(
        afterCall: Bool = false, after change: (inout PartQueue) -> Void = { _ in }
    ) -> TransferCalls.Call? {
        self.change(isOwnCall: true) { state in
            change(&state.queue)
            let wanted = TransferCalls.Course(
                pause: state.queue.isSuspended ? .all : .none, inParts: state.queue.isStreamed,
                isCancelled: !state.queue.isOpen)
            return state.calls.next(toward: wanted, afterCall: afterCall)
        }
    }
}

extension DataTaskOutput {
    /// With `isOwnCall`, this thread doesn't call the receiver of parts, for example because it is in the data task's
    /// `resume()`. `run` then delivers the parts.
    private func change<Result>(
        isOwnCall: Bool = false, _ change: (inout State) -> Result
    ) -> Result {
        let (result, call, schedules) = state.withLock { state in
            // The operation may deliver, and complete, inside a function that the task is calling.
            let isOwnCall = isOwnCall || state.calls.isCalling
            let result = change(&state)
            let call = state.queue.firstCall(isOwnCall: isOwnCall)
            let schedules = isOwnCall && !state.isScheduled && state.queue.hasNextCallElsewhere
            if schedules { state.isScheduled = true }
            return (result, call, schedules)
        }
        if schedules { run { self.deliverScheduled() } }
        make(call)
        return result
    }

    private func deliverScheduled() {
        make(
            state.withLock { state in
                state.isScheduled = false
                return state.queue.firstCall()
            })
    }

    private func make(_ first: PartQueue.Call?) {
        var next = first
        while let call = next {
            switch call {
            case .part(let part, let receiver, let hasRoom):
                if hasRoom { state.withLock { $0.onRoom }() }
                receiver(part)
            case .end(let end): end()
            }
            next = state.withLock { $0.queue.next() }
        }
    }
}

extension DispatchQueue {
    package static let deliveries = DispatchQueue(label: "Swallow.deliveries", attributes: .concurrent)
}

/// Decides which call a data task makes to its creator next, as ``DataTask/stream(to:)`` promises. The owner stores
/// this value under its lock. After a change, it makes `firstCall()` outside the lock, and then each call of `next()`.
package struct PartQueue: Sendable {
    package typealias Receiver = @Sendable (ResponsePart) -> Void
    package typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

    enum Call: Sendable {
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
    private(set) var isSuspended = true
    private var failure: (any Error)?

    init(_ completion: @escaping Completion) {
        self.completion = completion
    }

    private var isFailing: Bool { failure != nil }

    var isOpen: Bool { completion != nil && result == nil && !isFailing }

    var isStreamed: Bool { receiver != nil }

    /// Whether the sender should pause: from 128 KiB that wait for the receiver until at most 64 KiB are left.
    var isFull: Bool { isStreamed && parts.flow == .pause }
}

extension PartQueue {
    mutating func stream(to receiver: @escaping Receiver) {
        if isOpen, !isStreamed { self.receiver = receiver }
    }

    mutating func add(_ part: ResponsePart) {
        guard isOpen else { return }
        switch part {
        case .head: parts.add(part)
        case .bytes(let bytes): if !bytes.isEmpty { parts.add(part, byteCount: bytes.count) }
        }
    }

    /// The receiver, if any, receives the waiting parts before the result. Only the first result counts.
    mutating func end(with result: DataTaskResult) {
        guard isOpen else { return }
        var result = result
        if !isStreamed, result.error == nil { result.data = parts.removeAll().body(endingWith: result.data) }
        self.result = result
    }

    /// Fails the task, even a suspended one. Waiting parts are dropped.
    mutating func fail(with error: any Error) {
        // A waiting result stays here, so that it is released outside the lock with the last call.
        if completion != nil, !isFailing { failure = error }
    }

    mutating func suspend() { isSuspended = true }
    mutating func resume() { isSuspended = false }
}

extension PartQueue {
    private var hasNextCall: Bool {
        guard completion != nil else { return false }
        return isFailing || !isSuspended && (result != nil || isStreamed && !parts.isEmpty)
    }

    var hasNextCallElsewhere: Bool { isStreamed && !isFailing && !isCalling && hasNextCall }

    /// Returns the first call, if any. `nil` while calls are made, or if `isOwnCall` forbids the call on this thread.
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
