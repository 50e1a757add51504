import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Makes a data source's session tasks. On Linux one session isn't enough.
final class Sessions: Sendable {
    private let standard: URLSession
    private let isInvalidated = Lock(false)
    #if canImport(FoundationNetworking)
        private let configuration: URLSessionConfiguration
        /// The session for requests that forbid cookies or have a `Cookie` field of their own. It has no cookie storage, since
        /// Foundation would add the stored cookies to these requests, too.
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

    /// Lets go of the sessions once the cancels that wait on the delegate's queue have been carried out.
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

    /// Makes a task that has not started; returns it with its session. Nil once the sessions are invalid: asking one for a task
    /// would then abort the process.
    ///
    /// - Parameter isStreamed: whether the session is to ask its delegate for the body.
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
            // When a kept connection turns out to be closed, a session sends the request again, without its body. So
            // this request gets a session of its own, which has no kept connection, and a queue of its own, since a
            // cancel waits there until the body's stream was read.
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
        /// The request, changed where a session would otherwise send something else.
        var forSession: URLRequest {
            var request = self
            // A session honours the interval only where the property was set, not where the initialiser got it, and
            // cuts it to whole seconds: cut to 0, the task would end at once or never.
            if timeoutInterval != 60 { request.timeoutInterval = timeoutInterval.rounded(.up) }
            // The session adds its own, and would send both (RFC 9112 §6.2).
            for field in ["Content-Length", "Transfer-Encoding"] where value(forHTTPHeaderField: field) != nil
            {
                request.setValue(nil, forHTTPHeaderField: field)
            }
            return request
        }

        fileprivate var takesStoredCookies: Bool {
            httpShouldHandleCookies && value(forHTTPHeaderField: "Cookie") == nil
        }

        /// Whether only the caller may send it again, because of its body or its method (RFC 9110 §9.2.2).
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
        /// A serial queue for a session's delegate.
        fileprivate static var serial: OperationQueue? { DispatchingOperationQueue() }
    }

    /// Dispatches what the session adds: a response takes three operations, and as dispatched blocks they cost
    /// 25 µs of CPU less.
    // Unchecked: OperationQueue itself is, and the one property added is a constant.
    private final class DispatchingOperationQueue: OperationQueue, @unchecked Sendable {
        private let queue = DispatchQueue(label: "Swallow.URLSessionDataSource")

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            queue.async(execute: block)
        }
    }
#else
    extension URLRequest {
        /// The request, changed so that a session sends the request's own `Cookie` field, if it has one, and no stored
        /// cookies.
        fileprivate var keepingOwnCookie: URLRequest {
            guard value(forHTTPHeaderField: "Cookie") != nil else { return self }
            var request = self
            request.httpShouldHandleCookies = false
            return request
        }
    }

    extension OperationQueue {
        /// Nil, so that the session makes a serial queue itself.
        fileprivate static var serial: OperationQueue? { nil }
    }
#endif
