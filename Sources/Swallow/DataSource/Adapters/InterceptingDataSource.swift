import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Puts a closure around each request; see ``SessionDataTaskDataSource/intercepting(_:)``.
struct InterceptingDataSource<Base: SessionDataTaskDataSource>: SessionDataTaskDataSource {
    /// Handles a request; returns the response for its task.
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
        ManagedDataTask(completion) { InterceptOperation(request, base, $0, interceptor) }
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
    /// priority and the task-local values of the code that started the ``ServiceTask``. That Swift task is its cost:
    /// work that needs no `await` belongs in a data source of your own (see ``SessionDataTaskDataSource``), and
    /// credentials belong in an ``Authenticator``, whose ``Authenticator/identity`` caches know, and which leaves other
    /// origins alone.
    ///
    /// When the data task is cancelled, it ends at once with `URLError(.cancelled)`; the Swift task and its requests
    /// are cancelled, too. While the data task is suspended, the closure goes on, but its requests wait. Requests that
    /// are still under way when the closure returns are cancelled.
    ///
    /// The closure's requests always stream, so coalescing below it joins none of them: call `coalescing()` on the
    /// result instead. For bodies that aren't streamed on, a limit of 256 MB takes the place of the base's.
    ///
    /// A `ServiceError` or a `URLError` that the closure throws ends the task as it is; a `CancellationError` becomes a
    /// ``ServiceError`` of reason `.cancelled`, and any other error one of reason `.thrown`, with the error as
    /// `underlying`.
    ///
    /// - Parameter interceptor: gets every request of the data source, whatever its origin, and `next`, which sends
    ///   requests.
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
    let operation: InterceptOperation

    /// Sends a request to the data source below, and returns at the head of its response; the body is still to be read.
    ///
    /// - Throws: the data source's error, a `URLError` as a rule; a `ServiceError` of reason `.invalidRequest` or
    ///   `.invalidURL` for a request that can't be sent; `CancellationError` where the Swift task or the data task was
    ///   cancelled.
    public func callAsFunction(_ request: URLRequest) async throws -> InterceptedResponse {
        try request.checkForm()
        return try await operation.send(request)
    }
}

/// The response that an interceptor gets from `next`, or makes itself.
public struct InterceptedResponse: Sendable {
    /// The status and the header fields.
    public let head: HTTPURLResponse
    let body: Body

    enum Body: Sendable {
        case whole(Data)
        /// Comes when the interceptor reads it, or streams on to the task when the interceptor returns it.
        case unread(InterceptedBody)
    }

    /// The body, read to its end; up to 256 MB. A response whose last copy is dropped unread is cancelled.
    ///
    /// - Throws: the transfer's error; `CancellationError` where it was cancelled.
    public var data: Data {
        get async throws {
            switch body {
            case .whole(let data): data
            case .unread(let body): try await body.operation.read(body.call)
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
