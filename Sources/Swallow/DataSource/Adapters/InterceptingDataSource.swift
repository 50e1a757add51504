import Foundation

struct InterceptingDataSource<Base: SessionDataTaskDataSource>: SessionDataTaskDataSource {
    private let base: Base
    private let interceptor: InterceptOperation.Interceptor
    package let maximumBodySize: Int

    init(_ base: Base, _ interceptor: @escaping InterceptOperation.Interceptor) {
        self.base = base
        maximumBodySize = base.maximumBodySize
        self.interceptor = interceptor
    }

    func dataTask(with request: URLRequest, completion: @escaping PartQueue.Completion) -> any DataTask {
        ManagedDataTask(completion) {
            InterceptOperation(request, base, $0, limit: maximumBodySize, interceptor)
        }
    }
}

extension InterceptingDataSource: SizedDataSource {}

extension SessionDataTaskDataSource {
    /// Returns a data source that runs an async closure for each request. The closure may change the request, send it
    /// once, several times or not at all, look at the response, or create its own. If it returns a response without
    /// reading the body, the body streams to the task.
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
    /// The closure runs again for each retry. It runs off the main thread, in a Swift task with the priority and the
    /// task-local values of the code that started the ``ServiceTask``. If your code needs no `await`, your own data
    /// source takes less time (see ``SessionDataTaskDataSource``). To add credentials, use an ``Authenticator``,
    /// because caches use its ``Authenticator/identity``, and because it doesn't send them to other origins.
    ///
    /// If the data task is cancelled, it completes immediately with `URLError(.cancelled)`, and the closure's Swift
    /// task and its requests are also cancelled. While the data task is suspended, the closure continues, but its
    /// requests wait. When the closure returns a response, its other requests are cancelled.
    ///
    /// The closure's requests stream if possible, so `coalescing()` on the base data source joins none of them. Call it
    /// on the result instead. The base data source's `maximumResponseSize` limits bodies that are collected in memory.
    ///
    /// If the closure throws a `ServiceError` or a `URLError`, the data task fails with that error. Any other error
    /// becomes the `underlying` error of a ``ServiceError``. Its reason is `.cancelled` for a `CancellationError`, and
    /// usually `.thrown` for other errors.
    ///
    /// - Parameter interceptor: The closure. It receives requests to every origin, and `next`, which sends requests.
    public func intercepting(
        _ interceptor:
            @escaping @Sendable (_ request: URLRequest, _ next: NextDataSource) async throws
            -> InterceptedResponse
    ) -> some SessionDataTaskDataSource {
        InterceptingDataSource(self, interceptor)
    }
}

/// The function that sends an interceptor's requests. You can call it any number of times.
public struct NextDataSource: Sendable {
    let operation: InterceptOperation

    /// Sends a request to the base data source, and returns when it delivers the head, at the latest with the body.
    ///
    /// - Throws: The error of the data source, usually a `URLError`. If the request can't be sent or the response isn't
    ///   HTTP, a `ServiceError` of reason `.invalidRequest`, `.invalidURL` or `.invalidResponse`. If the Swift task or
    ///   the data task was cancelled, `CancellationError`.
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
        case unread(InterceptedBody)
    }

    /// The complete body. Reading it collects the body in memory. If you return the response without reading the body,
    /// the body streams to the task. If you neither read nor return the response, its transfer is cancelled.
    ///
    /// - Throws: The error of the transfer, or `CancellationError` if it was cancelled. A body that exceeds the base
    ///   data source's `maximumResponseSize`, by default 256 MiB, fails with `URLError(.dataLengthExceedsMaximum)`.
    public var data: Data {
        get async throws {
            switch body {
            case .complete(let data): data
            case .unread(let body): try await body.operation.read(body.call)
            }
        }
    }

    /// Creates a response without a server.
    public init(_ head: HTTPURLResponse, data: Data = Data()) {
        self.head = head
        body = .complete(data)
    }

    init(_ head: HTTPURLResponse, unread body: InterceptedBody) {
        self.head = head
        self.body = .unread(body)
    }

    /// Creates a response to a request, without a server.
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
