import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct InterceptingDataSource<Base: SessionDataTaskDataSource>: SessionDataTaskDataSource {
    typealias Interceptor =
        @Sendable (_ request: URLRequest, _ next: NextDataSource) async throws -> InterceptedResponse

    private let base: Base
    private let interceptor: Interceptor

    init(_ base: Base, _ interceptor: @escaping Interceptor) {
        self.base = base
        self.interceptor = interceptor
    }

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
    /// Runs an async closure for each request. The closure may change the request, send it once, several times or not
    /// at all, look at the response, or create its own response. A body that it doesn't read streams on to the task.
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
    /// The closure runs once for each attempt, off the main thread, in a Swift task with the priority and the
    /// task-local values of the code that started the ``ServiceTask``. Without `await`, your own data source costs less
    /// (see ``SessionDataTaskDataSource``). Add credentials with an ``Authenticator``, because caches use its
    /// ``Authenticator/identity``, and because it leaves other origins unchanged.
    ///
    /// When the data task is cancelled, it completes immediately with `URLError(.cancelled)`, and the Swift task and
    /// its requests are also cancelled. While the data task is suspended, the closure continues, but its requests wait.
    /// Requests that are still in flight when the closure returns are cancelled.
    ///
    /// The closure's requests always stream, so coalescing below it joins none of them. Call `coalescing()` on the
    /// result instead. Bodies that aren't streamed on have a limit of 256 MB.
    ///
    /// If the closure throws a `ServiceError` or a `URLError`, the task fails with that error. `CancellationError`
    /// becomes a ``ServiceError`` of reason `.cancelled`, and any other error one of reason `.thrown`, with the error
    /// as `underlying`.
    ///
    /// - Parameter interceptor: Receives every request, whatever its origin, and `next`, which sends requests.
    public func intercepting(
        _ interceptor:
            @escaping @Sendable (_ request: URLRequest, _ next: NextDataSource) async throws
            -> InterceptedResponse
    ) -> some SessionDataTaskDataSource {
        InterceptingDataSource(self, interceptor)
    }
}

/// Sends an interceptor's requests. Call it as a function, as often as you like.
public struct NextDataSource: Sendable {
    let operation: InterceptOperation

    /// Sends a request to the base data source, and returns when the head arrives.
    ///
    /// - Throws: The data source's error, usually a `URLError`. A `ServiceError` of reason `.invalidRequest` or
    ///   `.invalidURL` if the request can't be sent. `CancellationError` if the Swift task or the data task was
    ///   cancelled.
    public func callAsFunction(_ request: URLRequest) async throws -> InterceptedResponse {
        try request.checkForm()
        return try await operation.send(request)
    }
}

/// The response that an interceptor receives from `next`, or creates itself.
public struct InterceptedResponse: Sendable {
    /// The status and the header fields.
    public let head: HTTPURLResponse
    let body: Body

    enum Body: Sendable {
        case complete(Data)
        /// Arrives when the interceptor reads it, or streams on to the task when the interceptor returns it.
        case unread(InterceptedBody)
    }

    /// The complete body, which is collected in memory when this property is read, up to 256 MB. A body that isn't read
    /// streams on to the task. If the last copy of a response is released unread, its transfer is cancelled.
    ///
    /// - Throws: The transfer's error. `CancellationError` if it was cancelled.
    public var data: Data {
        get async throws {
            switch body {
            case .complete(let data): data
            case .unread(let body): try await body.operation.read(body.call)
            }
        }
    }

    /// Creates a response that no server has sent.
    public init(_ head: HTTPURLResponse, data: Data = Data()) {
        self.head = head
        body = .complete(data)
    }

    init(_ head: HTTPURLResponse, unread body: InterceptedBody) {
        self.head = head
        self.body = .unread(body)
    }

    /// Creates a response that no server has sent, with the request's URL.
    ///
    /// - Throws: A `ServiceError` of reason `.invalidURL` if the request has no URL.
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

    init(_ result: DataTaskResult) throws {
        if let error = result.error { throw error }
        guard let head = result.response as? HTTPURLResponse else {
            throw ServiceError(.invalidResponse, detail: "the data source returned no HTTP response")
        }
        self.init(head, data: result.data ?? Data())
    }
}
