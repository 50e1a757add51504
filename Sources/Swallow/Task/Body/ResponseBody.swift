import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response's body, in the parts in which it arrives.
///
/// ```swift
/// for try await part in service.GET("/export").body { try file.write(contentsOf: part) }
/// ```
///
/// - **Backpressure.** If 256 KB wait for the reader, the transfer pauses, and so does the server. The transfer also pauses
///   after the head, until the reader asks for the first body part. Over HTTP/2, libcurl may receive 10 MB more (32 MB
///   before version 8.1), because only the stream's window stops the server. Other streams of the connection continue.
///   On Linux, a paused `URLSession` and a data source that your code implements may also receive more.
/// - **Read once.** A second loop over the same body fails with `.invalidRequest`.
/// - **Leaving the loop.** If you leave the loop early, the task is cancelled. The task is also cancelled if you
///   release the last copy of a body that wasn't read to its end.
/// - **Errors** are ``ServiceError``s: `.unacceptableStatus` with the body as its entity if the status isn't a success,
///   `.cancelled` if the Swift task or the request was cancelled, and `.transport` if the transfer fails.
public struct ResponseBody: AsyncSequence, Sendable {
    private let owner: BodyOwner

    init(_ task: ServiceTask, adding fields: [String: String] = [:]) {
        let sink = SequenceSink(adding: fields)
        do throws(ServiceError) {
            try task.writeBody(to: sink)
            owner = BodyOwner(.success(task), sink)
        } catch {
            sink.fail(with: error)
            owner = BodyOwner(.failure(error), sink)
        }
    }

    /// The response's head, as soon as it has arrived. The body waits until it is read.
    ///
    /// Starts a task that was never started.
    public var head: HTTPURLResponse {
        get async throws(ServiceError) { try await owner.task.get().earlyHead.get() }
    }

    /// Returns an iterator over the body parts. Reading starts a task that was never started.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reading: BodyReading(owner))
    }

    /// Reads a body, part by part.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reading: BodyReading

        /// Returns the next body part, or `nil` after the last one and after an error.
        public mutating func next() async throws(ServiceError) -> Data? {
            try await reading.next().get()
        }

        /// Returns the next body part, or `nil` after the last one and after an error.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ServiceError) -> Data?
        {
            try await reading.next().get()
        }
    }
}

extension ServiceTask {
    /// The response's body in parts, as they arrive. A task has only one such body.
    ///
    /// The body parts don't wait for handlers that were attached earlier. The task succeeds with an empty entity. Its other
    /// handlers receive the head and no bytes, and neither the pipeline nor its caches take part. If the status isn't
    /// acceptable, the task fails as usual, and the error includes the body. If the body is already in memory or came from
    /// a cache, it is one part.
    public var body: ResponseBody { ResponseBody(self) }
}

/// All copies of a body share this object. Its release cancels an unfinished transfer.
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

/// One loop over a body. The end of the loop releases this object, which cancels an unfinished transfer.
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
            // A body in memory arrives through the handler chain, which may still wait for earlier handlers.
            owner.sink.fail(with: ServiceError(.cancelled, request: task?.request))
        }
    }
}
