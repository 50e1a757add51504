import Foundation

final class Sessions: Sendable {
    private let standard: URLSession
    private let isInvalidated = Lock(false)
    #if canImport(FoundationNetworking)
        private let configuration: URLSessionConfiguration
        /// For requests that forbid cookies or have their own `Cookie` field, because Foundation adds stored cookies.
        private let cookieless: URLSession
    #endif

    init(_ configuration: URLSessionConfiguration, _ delegate: any URLSessionDataDelegate) {
        let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        #if canImport(FoundationNetworking)
            configuration.urlCache = nil
            configuration.timeoutIntervalForRequest = configuration.timeoutIntervalForRequest.rounded(.up)
            self.configuration = configuration
            cookieless = URLSession(
                configuration: configuration.withoutCookies, delegate: delegate, delegateQueue: .serial)
        #endif
        standard = URLSession(configuration: configuration, delegate: delegate, delegateQueue: .serial)
    }

    deinit {
        invalidate()
    }

    #if !canImport(FoundationNetworking)
        /// Returns a WebSocket, whose server the session's delegate checks. Returns `nil` after `invalidate()`.
        func webSocket(with request: URLRequest) -> URLSessionWebSocketTask? {
            isInvalidated.withLock { $0 ? nil : standard.webSocketTask(with: request) }
        }
    #endif

    func close() async {
        await withCheckedContinuation { continuation in
            standard.delegateQueue.addOperation {
                self.invalidate()
                continuation.resume()
            }
        }
    }

    private func invalidate() {
        let isFirst = isInvalidated.withLock { isInvalidated in
            defer { isInvalidated = true }
            return !isInvalidated
        }
        guard isFirst else { return }
        standard.finishTasksAndInvalidate()
        #if canImport(FoundationNetworking)
            cookieless.finishTasksAndInvalidate()
        #endif
    }

    /// Returns `nil` after `invalidate()`. If `isStreamed`, the session requests the body from its delegate.
    func dataTask(with request: URLRequest, isStreamed: Bool) -> (URLSessionDataTask, URLSession)? {
        isInvalidated.withLock { $0 ? nil : makeDataTask(with: request, isStreamed: isStreamed) }
    }

    private func makeDataTask(
        with request: URLRequest, isStreamed: Bool
    ) -> (URLSessionDataTask, URLSession) {
        #if canImport(FoundationNetworking)
            let request = request.forSession
            guard request.isSentOnce || isStreamed else {
                let session = request.takesStoredCookies ? standard : cookieless
                return (session.dataTask(with: request), session)
            }
            // If a reused connection is closed, a session sends the request again without its body. So this request has
            // its own session, and also its own queue, where a cancel may wait for a read of the body's stream.
            let template = request.takesStoredCookies ? configuration : configuration.withoutCookies
            let session = URLSession(
                configuration: template, delegate: standard.delegate, delegateQueue: .serial)
            defer { session.finishTasksAndInvalidate() }
            return (session.task(with: request, isStreamed: isStreamed), session)
        #else
            return (standard.task(with: request.keepingOwnCookie, isStreamed: isStreamed), standard)
        #endif
    }
}

extension URLSession {
    fileprivate func task(with request: URLRequest, isStreamed: Bool) -> URLSessionDataTask {
        isStreamed ? uploadTask(withStreamedRequest: request) : dataTask(with: request)
    }
}

#if canImport(FoundationNetworking)
    extension URLRequest {
        var forSession: URLRequest {
            var request = self
            // A session uses the interval only if it was set after the initializer, and truncates it to whole seconds.
            if timeoutInterval != 60 { request.timeoutInterval = timeoutInterval.rounded(.up) }
            // The session adds its own fields, and would send both (RFC 9112 §6.2).
            for field in ["Content-Length", "Transfer-Encoding"] where value(forHTTPHeaderField: field) != nil
            {
                request.setValue(nil, forHTTPHeaderField: field)
            }
            return request
        }

        fileprivate var takesStoredCookies: Bool {
            httpShouldHandleCookies && value(forHTTPHeaderField: "Cookie") == nil
        }

        /// Whether the session must not send the request again (RFC 9110 §9.2.2).
        fileprivate var isSentOnce: Bool {
            if httpBody != nil || httpBodyStream != nil { return true }
            return !["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(httpMethod ?? "GET")
        }
    }

    extension URLSessionConfiguration {
        fileprivate var withoutCookies: URLSessionConfiguration {
            let copy = self.copy() as? URLSessionConfiguration ?? .ephemeral
            copy.httpCookieStorage = nil
            copy.httpShouldSetCookies = false
            return copy
        }
    }

    extension OperationQueue {
        fileprivate static var serial: OperationQueue? { DispatchingOperationQueue() }
    }

    /// Runs operations as dispatched blocks. A short response takes three, which cost 25 µs less CPU time as blocks.
    // Unchecked: `OperationQueue` itself is unchecked, and the only added property is a constant.
    private final class DispatchingOperationQueue: OperationQueue, @unchecked Sendable {
        private let queue = DispatchQueue(label: "Swallow.URLSessionDataSource")

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            queue.async(execute: block)
        }
    }
#else
    extension URLRequest {
        fileprivate var keepingOwnCookie: URLRequest {
            guard value(forHTTPHeaderField: "Cookie") != nil else { return self }
            var request = self
            request.httpShouldHandleCookies = false
            return request
        }
    }

    extension OperationQueue {
        fileprivate static var serial: OperationQueue? { nil }
    }
#endif
