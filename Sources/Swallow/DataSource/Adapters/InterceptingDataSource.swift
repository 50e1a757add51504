import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Puts a closure around each request; see ``SessionDataTaskDataSource/intercepting(_:)``.
struct InterceptingDataSource<Base: SessionDataTaskDataSource>: SessionDataTaskDataSource {
    /// What is done with a request; returns what its task is to get.
    typealias Interceptor =
        @Sendable (_ request: URLRequest, _ next: NextDataSource) async throws -> InterceptedResponse

    private let base: Base
    private let interceptor: Interceptor

    init(_ base: Base, _ interceptor: @escaping Interceptor) {
        self.base = base
        self.interceptor = interceptor
    }

    /// Returns a task that has not started; the closure runs when it is first resumed.
    func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        InterceptingDataTask(request, base, interceptor, completion)
    }
}

extension InterceptingDataSource: SizedDataSource {
    package var maximumBodySize: Int { base.maximumBodySize }
}

extension SessionDataTaskDataSource {
    /// Puts an async closure around each request: it may change the request, send it once, often or not at all, look at
    /// what comes back, or make a response of its own. Responses come with their head: a body that the closure doesn't read
    /// streams on to the task.
    ///
    /// ```swift
    /// let dataSource = standardDataSource.intercepting { request, next in
    ///     var request = request
    ///     request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
    ///     let response = try await next(request)
    ///     await statistics.count(response.head.statusCode)
    ///     return response
    /// }
    /// ```
    ///
    /// The closure runs once for each attempt, when that is first resumed, off the main thread, in a Swift task with the
    /// priority and the task-local values of the code that started the ``ServiceTask``. That Swift task is what it costs:
    /// what needs no `await` is better done by a data source of its own (see ``SessionDataTaskDataSource``), and
    /// credentials belong into an ``Authenticator``, whose ``Authenticator/identity`` caches know, and which leaves other
    /// origins alone.
    ///
    /// When the data task is cancelled, it ends at once with `URLError(.cancelled)`, the Swift task is cancelled, and
    /// so is what it sends. While it is suspended, the closure goes on, but nothing is sent. What the closure has sent and
    /// not received when it returns is cancelled.
    ///
    /// What it sends streams, whether the task does or not: one that coalesces below sends each such request alone, so it
    /// belongs above, and of the base's limits for bodies the one of 256 MB takes the place.
    ///
    /// Of the errors that the closure throws, a `ServiceError` and a `URLError` stay themselves, a `CancellationError` becomes
    /// a ``ServiceError`` of reason `.cancelled`, and any other one of reason `.thrown`, with it as `underlying`.
    ///
    /// - Parameter interceptor: gets every request of the data source, whatever its origin, and what sends it.
    public func intercepting(
        _ interceptor:
            @escaping @Sendable (_ request: URLRequest, _ next: NextDataSource) async throws
            -> InterceptedResponse
    ) -> some SessionDataTaskDataSource {
        InterceptingDataSource(self, interceptor)
    }
}

/// Sends what an interceptor lets through. Call it as a function, any number of times.
public struct NextDataSource: Sendable {
    let task: InterceptingDataTask

    /// Sends a request to the data source below, and returns at the head of its response; the body is still to be read.
    ///
    /// - Throws: the data source's error, a `URLError` as a rule; a `ServiceError` of reason `.invalidRequest` or
    ///   `.invalidURL` for a request that can't be sent; `CancellationError` where the Swift task or the data task was
    ///   cancelled.
    public func callAsFunction(_ request: URLRequest) async throws -> InterceptedResponse {
        try request.checkForm()
        return try await task.send(request)
    }
}

/// What comes back to an interceptor, or what it returns in its place.
public struct InterceptedResponse: Sendable {
    /// The status and the header fields.
    public let head: HTTPURLResponse
    let body: Body

    enum Body: Sendable {
        case whole(Data)
        /// It comes once it is read, or goes on to the task once it is returned.
        case unread(InterceptedBody)
    }

    /// The body, read to its end; up to 256 MB. A response whose last copy is dropped unread is cancelled.
    ///
    /// - Throws: what the transfer failed with, `CancellationError` where it was cancelled.
    public var data: Data {
        get async throws {
            switch body {
            case .whole(let data): data
            case .unread(let body): try await body.task.read(body.call)
            }
        }
    }

    /// Makes a response that no server has sent.
    public init(_ head: HTTPURLResponse, data: Data = Data()) {
        self.head = head
        body = .whole(data)
    }

    init(_ head: HTTPURLResponse, unread body: InterceptedBody) {
        self.head = head
        self.body = .unread(body)
    }

    /// Makes a response that no server has sent, from the request's URL.
    ///
    /// - Throws: a `ServiceError` of reason `.invalidURL` for a request without a URL.
    public init(
        status: Int, headers: Headers = [:], data: Data = Data(), to request: URLRequest
    ) throws(ServiceError) {
        let head = request.url.flatMap {
            HTTPURLResponse(
                url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers.combined)
        }
        guard let head else { throw ServiceError(.invalidURL, detail: "the request has no URL") }
        self.init(head, data: data)
    }

    init(_ ending: Ending) throws {
        if let error = ending.error { throw error }
        guard let head = ending.response as? HTTPURLResponse else {
            throw ServiceError(.invalidResponse, detail: "the data source gave no HTTP response")
        }
        self.init(head, data: ending.data ?? Data())
    }
}
