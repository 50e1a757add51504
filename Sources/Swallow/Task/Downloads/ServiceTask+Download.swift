import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ServiceTask {
    /// Passes the URL of the downloaded file to a handler on the main actor.
    ///
    /// ```swift
    /// let download = service.GET("/map.pdf", options: [.download(to: file)])
    ///     .responseFile { file in self.map = file }
    /// ```
    ///
    /// If the request has no download option such as ``Request/Option/download(to:resumes:createsFolders:)``, the chain
    /// fails with `.contentMismatch`.
    @discardableResult
    public func responseFile(_ handler: @escaping Handler<URL>) -> Self {
        responseContent(as: URL.self, handler)
    }

    /// Passes the URL of the downloaded file to a handler on a queue. Fails the chain as ``responseFile(_:)`` does.
    @discardableResult
    public func responseFile(_ queue: DispatchQueue, _ handler: @escaping QueueHandler<URL>) -> Self {
        responseContent(queue, as: URL.self, handler)
    }

    func openDownload(_ sink: DownloadSink, for urlRequest: URLRequest) {
        sink.open(for: urlRequest) { [self] error in
            if let error { return failBody(with: ServiceError(thrown: error, request: request)) }
            if core.withLock({ !$0.exchange.isComplete }) { sendFirst(urlRequest) }
        }
    }

    var downloadSink: DownloadSink? {
        request.download == nil ? nil : core.withLock { $0.rareState?.body?.sink as? DownloadSink }
    }
}
