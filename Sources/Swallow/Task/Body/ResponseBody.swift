import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response's body, in the parts in which it comes.
///
/// ```swift
/// for try await part in service.GET("/export").body { try file.write(contentsOf: part) }
/// ```
///
/// - **Back-pressure.** At most 256 KB wait for the reader; then the data source pauses, and with it the server. After
///   the head, nothing comes until the reader asks for the first part. Over HTTP/2, the stream's window may come on
///   top: 10 MB with libcurl, 32 MB before its version 8.1. The connection's other streams go on.
/// - **Read once.** A second loop over the same body gets `.invalidRequest`.
/// - **Leaving ends it.** Leaving the loop early cancels the task. So does dropping the last copy of a body that was
///   not read to its end.
/// - **Errors** are ``ServiceError``s: `.unacceptableStatus` with its entity where the status is no success, `.cancelled`
///   where the Swift task or the request was cancelled, and `.transport` where the body broke off.
public struct ResponseBody: AsyncSequence, Sendable {
    private let owner: BodyOwner

    /// - Parameter fields: header fields to add to the request, unless it was sent before.
    init(_ task: ServiceTask, adding fields: [String: String] = [:]) {
        let buffer = BodyBuffer(adding: fields)
        do throws(ServiceError) {
            try task.claim(buffer)
            owner = BodyOwner(task, buffer)
        } catch {
            owner = BodyOwner(nil, BodyBuffer(failed: error))
        }
    }

    /// The response's head, as soon as it is here. The body waits until it is read.
    ///
    /// Starts a task that was never started.
    public var head: HTTPURLResponse {
        get async throws(ServiceError) { try await owner.head.get() }
    }

    /// Reads the body; starts a task that was never started.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reading: BodyReading(owner))
    }

    /// Reads a body, part by part.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reading: BodyReading

        /// The next part; nil after the last, and after an error.
        public mutating func next() async throws(ServiceError) -> Data? {
            try await reading.next().get()
        }

        /// The next part; nil after the last, and after an error.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ServiceError) -> Data?
        {
            try await reading.next().get()
        }

        /// The next part if it is here, without waiting.
        func nextNow() -> BodyBuffer.Part? { reading.nextNow() }
    }
}

extension ServiceTask {
    /// The response's body in parts, as it comes. Ask for it only once.
    ///
    /// The parts don't wait for handlers attached earlier. The task ends with an empty entity: other handlers see the
    /// head and no bytes, and neither the pipeline nor its caches take part. A status that isn't acceptable is an error
    /// as usual, with its body. A body that is in memory already, or came from a cache, is one part.
    public var body: ResponseBody { ResponseBody(self) }
}

/// Shared by all copies of a body. Its release, with the last copy, cancels an unfinished transfer.
private final class BodyOwner: Sendable {
    /// Nil where the body was claimed before.
    let task: ServiceTask?
    let buffer: BodyBuffer

    init(_ task: ServiceTask?, _ buffer: BodyBuffer) {
        self.task = task
        self.buffer = buffer
    }

    deinit { end() }

    /// Ends the transfer if it goes on.
    func end() {
        guard let task, !buffer.hasEnded else { return }
        task.failBody(with: ServiceError(.cancelled, request: task.request))
    }

    var head: Result<HTTPURLResponse, ServiceError> {
        get async {
            guard let task else { return .failure(buffer.error ?? .cancelled) }
            return await task.earlyHead
        }
    }
}

/// One loop over a body; leaving it ends the transfer.
private final class BodyReading: Sendable {
    private let owner: BodyOwner
    private let isFirst: Bool

    init(_ owner: BodyOwner) {
        self.owner = owner
        isFirst = owner.buffer.startReading()
    }

    deinit {
        if isFirst { owner.end() }
    }

    func nextNow() -> BodyBuffer.Part? {
        guard isFirst else {
            return .failure(
                ServiceError(.invalidRequest, detail: "the body is read already, by another loop"))
        }
        return Task.isCancelled ? nil : owner.buffer.takeNow()
    }

    func next() async -> BodyBuffer.Part {
        if let part = nextNow() { return part }
        return await withTaskCancellationHandler {
            owner.task?.resumeIfCreated()
            return await owner.buffer.next()
        } onCancel: {
            owner.end()
            // A body in memory comes through the handler chain, which may take long to get here.
            owner.buffer.fail(ServiceError(.cancelled, request: owner.task?.request))
        }
    }
}
