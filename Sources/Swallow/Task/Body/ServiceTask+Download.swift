import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ServiceTask {
    /// Hands the URL of the file that ``Request/Option/download(to:resumes:)`` wrote to a handler on the main actor.
    ///
    /// ```swift
    /// service.GET("/map.pdf", options: [.download(to: file)])
    ///     .responseFile { file in self.map = PDFDocument(url: file) }
    /// ```
    ///
    /// A task without that option fails the chain with `.contentMismatch`.
    @discardableResult
    public func responseFile(_ handler: @escaping Handler<URL>) -> Self {
        responseContent(as: URL.self, handler)
    }

    /// Hands the URL of the file that a download wrote to a handler on a queue.
    @discardableResult
    public func responseFile(_ queue: DispatchQueue, _ handler: @escaping QueueHandler<URL>) -> Self {
        responseContent(queue, as: URL.self, handler)
    }

    /// Opens the file of a download, and sends its request.
    func send(_ urlRequest: URLRequest, to sink: DownloadSink) {
        sink.open(for: urlRequest) { [self] error in
            if let error { return failBody(with: ServiceError(thrown: error, request: request)) }
            if core.withLock({ $0.transfer.hasEnded }) { return }
            send(urlRequest, over: DownloadSource(base: dataSource, sink: sink))
        }
    }
}

/// Sends a download's request in the form that goes on from what is here, and once more where the answer doesn't.
private struct DownloadSource: SessionDataTaskDataSource, RelaySource {
    let base: any SessionDataTaskDataSource
    let sink: DownloadSink

    var judge: any RelayJudge { sink }
    var timeout: Duration? { nil }

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        RelayDataTask(sink.completed(request), self, completion)
    }

    func dataTask(with request: URLRequest, for attempt: RelayAttempt) -> any DataTask {
        let receipt = Receipt(attempt)
        return base.dataTask(with: request) { data, response, error in receipt(data, response, error) }
    }
}
