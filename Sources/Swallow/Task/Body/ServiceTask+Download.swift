import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ServiceTask {
    /// Hands the URL of the file that ``Request/Option/download(to:resumes:createsFolders:)`` wrote to a handler on the main actor.
    ///
    /// ```swift
    /// let download = service.GET("/map.pdf", options: [.download(to: file)])
    ///     .responseFile { file in self.map = file }
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
    func open(_ sink: DownloadSink, for urlRequest: URLRequest) {
        sink.open(for: urlRequest) { [self] error in
            if let error { return failBody(with: ServiceError(thrown: error, request: request)) }
            if core.withLock({ !$0.exchange.control.hasEnded }) { sendFirst(urlRequest) }
        }
    }

    /// The sink of a download, until the task has ended.
    var downloadSink: DownloadSink? {
        request.download == nil ? nil : core.withLock { $0.extras?.body?.sink as? DownloadSink }
    }
}
