import Foundation

/// A response's body, in the parts in which it arrives.
///
/// ```swift
/// for try await part in service.GET("/export").body { try file.write(contentsOf: part) }
/// ```
///
/// - **Backpressure.** If 256 KiB wait for the reader, the transfer stops receiving, and the server has to wait. It also
///   stops after the head, until the reader asks for the first part. Over HTTP/2, libcurl may receive 10 MiB more
///   (32 MiB or more before version 8.1). A paused `URLSession` on Linux or your own data source may receive more, too.
/// - **Read once.** A second loop over the same body fails with `.invalidRequest`.
/// - **Leaving the loop.** The task is cancelled if you leave the loop early, or release all copies of an unread body.
/// - **Errors.** The loop throws the task's ``ServiceError``, for example `.unacceptableStatus` with the body as its
///   entity. If the Swift task is cancelled before the body is complete, the loop throws `.cancelled`.
public struct ResponseBody: AsyncSequence, Sendable {
    private let owner: BodyOwner

    init(_ task: ServiceTask, adding fields: [String: String] = [:]) {
        self.init(task) { request in
            for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        }
    }

    /// - Parameter prepare: Changes the request after `adaptRequest`. Not called if the request was already sent.
    init(_ task: ServiceTask, preparing prepare: @escaping @Sendable (inout URLRequest) -> Void) {
        let sink = SequenceSink(preparing: prepare)
        do throws(ServiceError) {
            try task.writeBody(to: sink)
            owner = BodyOwner(.success(task), sink)
        } catch {
            sink.fail(with: error)
            owner = BodyOwner(.failure(error), sink)
        }
    }

    /// The response's head, as soon as it has arrived. Starts the task if necessary, but doesn't read the body.
    public var head: HTTPURLResponse {
        get async throws(ServiceError) { try await owner.task.get().earlyHead.get() }
    }

    /// Returns an iterator over the body parts. If the task wasn't started, the first `next()` starts it.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reading: BodyReading(owner))
    }

    /// The iterator over the parts of a body.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reading: BodyReading

        /// Returns the next body part, or `nil` after the last part.
        public mutating func next() async throws(ServiceError) -> Data? {
            try await reading.next().get()
        }

        /// Returns the next body part, or `nil` after the last part.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ServiceError) -> Data?
        {
            try await reading.next().get()
        }
    }
}

extension ServiceTask {
    /// The response's body in parts, as they arrive. The body of a second access fails with `.invalidRequest`.
    ///
    /// A body that is complete in memory, for example from a cache, is one part, or none if it is empty. Otherwise, the
    /// parts don't wait for earlier handlers, other handlers receive the head and no bytes, and neither the pipeline
    /// nor its caches read the body. If the response isn't acceptable, the task fails, and its error has the body.
    public var body: ResponseBody { ResponseBody(self) }
}

/// All copies of a body share this object. Its release cancels the task if the body isn't complete.
private final class BodyOwner: Sendable {
    let task: Result<ServiceTask, ServiceError>
    let sink: SequenceSink

    init(_ task: Result<ServiceTask, ServiceError>, _ sink: SequenceSink) {
        self.task = task
        self.sink = sink
    }

    deinit { cancelTransfer() }

    func cancelTransfer() {
        guard case .success(let task) = task, !sink.isComplete else { return }
        task.failBody(with: ServiceError(.cancelled, request: task.request))
    }
}

private final class BodyReading: Sendable {
    private let owner: BodyOwner
    private let isFirst: Bool

    init(_ owner: BodyOwner) {
        self.owner = owner
        isFirst = owner.sink.startReading()
    }

    deinit {
        if isFirst { owner.cancelTransfer() }
    }

    func next() async -> SequenceSink.Element {
        guard isFirst else {
            return .failure(
                ServiceError(.invalidRequest, detail: "another loop already reads the body"))
        }
        if !Task.isCancelled, let element = owner.sink.takeNext() { return element }
        let task = try? owner.task.get()
        return await withTaskCancellationHandler {
            task?.resumeIfCreated()
            return await owner.sink.next()
        } onCancel: {
            owner.cancelTransfer()
            // This ends the wait at once. A body in memory would arrive only after earlier handlers have run.
            owner.sink.fail(with: ServiceError(.cancelled, request: task?.request))
        }
    }
}

final class SequenceSink: BodySink {
    /// A body part, `nil` at the end of the body, or an error.
    typealias Element = Result<Data?, ServiceError>

    private struct State: Sendable {
        /// Pauses after the head, until the reader asks for the first body part.
        var queue = BodyPartQueue<Element>(flow: .pause)
        var isComplete = false
        var reader: CheckedContinuation<Element, Never>?
        var owner: SinkOwner?
        var wasRead = false
    }

    private let state = Lock(State())
    private let preparation: @Sendable (inout URLRequest) -> Void

    init(preparing preparation: @escaping @Sendable (inout URLRequest) -> Void) {
        self.preparation = preparation
    }

    var isComplete: Bool { state.withLock { $0.isComplete } }
}

extension SequenceSink {
    func prepare(_ request: inout URLRequest) {
        preparation(&request)
    }

    func begin(_ head: HTTPURLResponse, for owner: SinkOwner) {
        state.withLock { $0.owner = owner }
    }

    var flow: Flow { state.withLock { $0.queue.flow } }

    func receive(_ bodyPart: Data) {
        let reader = state.withLock { state -> CheckedContinuation<Element, Never>? in
            if state.isComplete { return nil }
            if state.reader == nil { state.queue.add(.success(bodyPart), byteCount: bodyPart.count) }
            return state.reader.take()
        }
        reader?.resume(returning: .success(bodyPart))
    }

    func complete(_ completion: @escaping Completion) {
        // First, so that the task is complete when the reader receives the end.
        completion(.success(Entity(content: Data())))
        end(with: .success(nil))
    }

    func fail(with error: ServiceError, completion: @escaping @Sendable () -> Void) {
        end(with: .failure(error), droppingBodyParts: error.isCancelled)
        completion()
    }

    private func end(with element: Element, droppingBodyParts: Bool = false) {
        let reader = state.withLock { state -> CheckedContinuation<Element, Never>? in
            if state.isComplete { return nil }
            state.isComplete = true
            if droppingBodyParts { _ = state.queue.removeAll() }
            if state.reader == nil { state.queue.add(element) }
            return state.reader.take()
        }
        reader?.resume(returning: element)
    }
}

extension SequenceSink {
    func takeNext() -> Element? {
        take { _ in nil }
    }

    func next() async -> Element {
        await withCheckedContinuation { continuation in
            let element = take { state in
                if state.reader != nil { return .failure(.simultaneousReads) }
                state.reader = continuation
                return nil
            }
            if let element { continuation.resume(returning: element) }
        }
    }

    private func take(orElse wait: (inout State) -> Element?) -> Element? {
        let (element, owner) = state.withLock { state in
            let (element, hasRoom) = state.queue.take()
            let owner = hasRoom ? state.owner : nil
            return (element ?? (state.isComplete ? .success(nil) : wait(&state)), owner)
        }
        owner?.sinkHasRoom()
        return element
    }

    func startReading() -> Bool {
        state.withLock { state in
            defer { state.wasRead = true }
            return !state.wasRead
        }
    }
}

extension ServiceError {
    fileprivate static var simultaneousReads: ServiceError {
        ServiceError(.invalidRequest, detail: "the body is read by two Swift tasks at the same time")
    }
}
