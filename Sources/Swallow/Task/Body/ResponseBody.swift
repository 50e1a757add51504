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
/// - **Back-pressure.** At most 256 KB wait for whoever reads; then the data source is held back, and with it the
///   server. Nothing comes after the head before the first part is asked for. Over HTTP/2 the stream's window may come
///   on top, and the connection's other streams go on: 10 MB by libcurl, 32 MB before its version 8.1.
/// - **Read once.** A second loop over the same body gets `.invalidRequest`.
/// - **Leaving ends it.** Leaving the loop early, and dropping the last copy of a body that nobody has read to its end,
///   cancels the task.
/// - **Errors** are ``ServiceError``s: `.unacceptableStatus` with its entity where the status is no success, `.cancelled`
///   where the Swift task or the request was cancelled, and `.transport` where the body broke off.
public struct ResponseBody: AsyncSequence, Sendable {
    private let owner: BodyOwner

    /// - Parameter fields: go into the request's header, if it hasn't been sent.
    init(_ task: ServiceTask, adding fields: [String: String] = [:]) {
        let buffer = BodyBuffer(adding: fields)
        do throws(ServiceError) {
            try task.claim(buffer)
            owner = BodyOwner(task, buffer)
        } catch {
            owner = BodyOwner(nil, BodyBuffer(failed: error))
        }
    }

    /// The response's head, as soon as it is here; nothing but it comes before the body is read.
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
    /// The response's body in parts, as it comes. The task must not have been asked for it before.
    ///
    /// The parts don't wait for handlers attached earlier. What the task ends with is an entity of no bytes: other handlers
    /// see the head, and the pipeline and its caches have no part in it. A status that isn't acceptable is an error as ever,
    /// with its body. A body that is in memory already, or came from a cache, is one part.
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
