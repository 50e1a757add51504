import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Moves requests with a URLSession of its own, whose delegate keeps the rules of Swallow: redirects go by a
/// ``RedirectPolicy``, a 401 without credentials ends as a 401, and the configuration's
/// `timeoutIntervalForResource` holds on every platform, redirects included.
///
/// Completions come on the session's serial delegate queue and are expected to return at once.
public final class URLSessionDataSource: SessionDataTaskDataSource {
    private let session: URLSession
    private let delegate = URLSessionExchanges()
    private let redirectPolicy: RedirectPolicy
    private let timeout: Duration?

    /// Makes a data source with a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: the session's. On Linux its `urlCache` is not used: a cancel that meets a refused
    ///     connection aborts the process there, in the session's task registry.
    ///   - redirectPolicy: follows up to 20 redirects by default.
    public init(configuration: URLSessionConfiguration = .default, redirectPolicy: RedirectPolicy = .follow())
    {
        let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        #if canImport(FoundationNetworking)
            configuration.urlCache = nil
        #endif
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: .serial)
        self.redirectPolicy = redirectPolicy
        let week: TimeInterval = 7 * 24 * 3600
        let seconds = configuration.timeoutIntervalForResource
        // A week is the platform's default, and stands for no limit here: a timer for each task isn't free.
        timeout = seconds > 0 && seconds < week ? .seconds(seconds) : nil
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// Returns a task of the session's that has not started.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        URLSessionExchange(
            request: request, source: self, session: session, exchanges: delegate,
            redirectPolicy: redirectPolicy, timeout: timeout, completion: completion)
    }
}

/// The session's delegate: finds the exchange that an event belongs to.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Lock<[Int: URLSessionExchange]>([:])

    func add(_ exchange: URLSessionExchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(for: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(for: dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // On Linux the session would forward Authorization to other hosts, drop the body of a 307 and resolve
        // a relative Location wrongly. The exchange follows by itself.
        if exchange(for: task)?.declinesRedirect() ?? true { completionHandler(nil) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // Without a credential, default handling never ends here; the exchange makes a 401 of the cancel.
            if challenge.proposedCredential == nil || challenge.previousFailureCount > 0 {
                return completionHandler(.cancelAuthenticationChallenge, nil)
            }
        #endif
        completionHandler(.performDefaultHandling, nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.complete(task, error)
    }

    private func exchange(for task: URLSessionTask) -> URLSessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }
}

extension OperationQueue {
    /// A serial queue for a session's delegate; nil has the session make one.
    fileprivate static var serial: OperationQueue? {
        #if canImport(FoundationNetworking)
            DispatchingOperationQueue()
        #else
            nil
        #endif
    }
}

#if canImport(FoundationNetworking)
    /// Dispatches what the session adds: a response takes three operations, and as dispatched blocks they cost
    /// 25 µs of CPU less.
    // Unchecked: OperationQueue itself is, and the one property added is a constant.
    private final class DispatchingOperationQueue: OperationQueue, @unchecked Sendable {
        private let queue = DispatchQueue(label: "Swallow.URLSessionDataSource")

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            queue.async(execute: block)
        }
    }
#endif
