import Foundation

/// A data source that sends requests with its own `URLSession`.
///
/// A ``RedirectPolicy`` handles redirects. If the session has no credential for a challenge, the 401 is an ordinary
/// response. The configuration's `timeoutIntervalForResource` includes redirects. On every platform, it applies if it
/// is shorter than a week.
///
/// A body that isn't in memory is read while it is sent. On Linux, it is sent in chunks, and a request whose body is an
/// asynchronous sequence fails with `.invalidRequest`.
///
/// Completions usually run on the session's serial delegate queue, so they must return promptly.
///
/// Bodies stream. On Apple platforms, the server has to wait while the task is suspended or its reader is too slow. On
/// Linux, the session stores the bytes in memory, so use ``CurlDataSource`` for large bodies.
public final class URLSessionDataSource: SessionDataTaskDataSource {
    let sessions: Sessions
    private let tasks: SessionDataTasks
    package let maximumBodySize: Int
    let redirectPolicy: RedirectPolicy
    let openAttempts = OpenAttempts()
    let attemptTimeout: Duration?

    /// Creates a data source with its own session.
    ///
    /// - Parameters:
    ///   - configuration: The session's configuration. On Linux, its `urlCache` isn't used, because it could crash the
    ///     process.
    ///   - redirectPolicy: The redirect policy. By default, up to 20 redirects are followed.
    ///   - maximumResponseSize: The maximum size of a response's body in memory, in bytes after decompression. 256 MiB
    ///     by default. `nil` means no limit. With a larger body, a request fails with
    ///     `URLError(.dataLengthExceedsMaximum)`.
    public convenience init(
        configuration: URLSessionConfiguration = .default, redirectPolicy: RedirectPolicy = .follow(),
        maximumResponseSize: Int? = 256 * 1024 * 1024
    ) {
        self.init(configuration, redirectPolicy, maximumResponseSize, SessionDataTasks())
    }

    #if canImport(Security)
        /// Creates a data source with its own session, with pinned keys or a client certificate.
        ///
        /// - Parameters:
        ///   - configuration: The session's configuration.
        ///   - redirectPolicy: The redirect policy. By default, up to 20 redirects are followed.
        ///   - maximumResponseSize: The maximum size of a response's body in memory, in bytes after decompression. 256
        ///     MiB by default. `nil` means no limit.
        ///   - tls: The pinned keys and the client's identity. This was type-checked, but has not been run on a device.
        public convenience init(
            configuration: URLSessionConfiguration = .default, redirectPolicy: RedirectPolicy = .follow(),
            maximumResponseSize: Int? = 256 * 1024 * 1024, tls: TLS
        ) {
            self.init(configuration, redirectPolicy, maximumResponseSize, SessionDataTasks(tls))
        }
    #endif

    private init(
        _ configuration: URLSessionConfiguration, _ redirectPolicy: RedirectPolicy,
        _ maximumResponseSize: Int?, _ tasks: SessionDataTasks
    ) {
        self.tasks = tasks
        sessions = Sessions(configuration, tasks)
        maximumBodySize = maximumResponseSize ?? .max
        self.redirectPolicy = redirectPolicy
        let week: TimeInterval = 7 * 24 * 3600
        let seconds = configuration.timeoutIntervalForResource
        // A week is the platform's default. It means no limit here, because a timer for each task costs CPU time.
        attemptTimeout = seconds > 0 && seconds < week ? .seconds(seconds) : nil
    }

    /// Stops accepting tasks, lets running tasks complete, and closes the connections.
    ///
    /// Tasks that are started later fail with `URLError(.cancelled)`. So do tasks that are incomplete after `limit`, or
    /// when the Swift task that calls this is cancelled.
    ///
    /// A retry, and a new attempt with another credential, count as tasks that are started later.
    ///
    /// - Parameter limit: The maximum time for running tasks to complete. Zero cancels them immediately.
    public func shutDown(within limit: Duration) async {
        await openAttempts.close(within: limit)
        await sessions.close()
    }

    /// Returns a task that has not started.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        ManagedDataTask(completion) { ExchangeOperation(request, self, $0) }
    }
}

// An exchange's owner keeps the data source alive, because its release invalidates the session.
extension URLSessionDataSource: TransferSource, SizedDataSource {
    func transfer(for request: URLRequest) -> any Transfer {
        var prepared: (request: URLRequest, body: RequestBody?)
        do { prepared = try request.withSessionBody() } catch { return FailedTransfer(error) }
        #if canImport(FoundationNetworking)
            // If a session had to ask for the first stream, it would send `Expect: 100-continue` and wait for a reply.
            let first = prepared.body?.startSending(after: 0)
            if let first { prepared.request.httpBodyStream = first.0 }
            let made = sessions.dataTask(with: prepared.request, isStreamed: false)
        #else
            let made = sessions.dataTask(with: prepared.request, isStreamed: prepared.body != nil)
        #endif
        guard let (task, session) = made else { return FailedTransfer(ServiceError(.cancelled)) }
        var own: URLRequest?
        if let body = prepared.body, request.streamedBody == nil {
            // The app's own stream can't be sent again after a redirect, and the exchange must know that.
            own = request
            own?.streamedBody = body
        }
        let transfer = SessionTransfer(
            task, session, body: prepared.body, redirectRequest: own, maximumSize: maximumBodySize)
        #if canImport(FoundationNetworking)
            if let first { transfer.use(first.1) }
        #endif
        tasks.add(transfer, for: task)
        return transfer
    }
}

final class SessionDataTasks: NSObject, URLSessionDataDelegate, Sendable {
    /// The transfers by task object, because tasks of different sessions can have the same identifier.
    private let tasks = Lock<[ObjectIdentifier: SessionTransfer]>([:])

    #if canImport(Security)
        private let tls: URLSessionDataSource.TLS

        init(_ tls: URLSessionDataSource.TLS = .init()) {
            self.tls = tls
        }
    #endif

    func add(_ task: SessionTransfer, for sessionTask: URLSessionTask) {
        tasks.withLock { $0[ObjectIdentifier(sessionTask)] = task }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        self.task(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.task(of: dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // On Linux, the session would forward `Authorization` to other hosts, drop the body of a 307 and resolve a
        // relative `Location` incorrectly. The exchange follows redirects itself.
        if self.task(of: task)?.declinesRedirect() ?? true { completionHandler(nil) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(Security)
            if let answer = TLSAnswer(challenge, tls) {
                if answer.isUntrusted {
                    self.task(of: task)?.replaceError(by: URLError(.serverCertificateUntrusted))
                }
                return completionHandler(answer.disposition, answer.credential)
            }
        #endif
        #if canImport(FoundationNetworking)
            // Without a credential, default handling never completes. The cancelled challenge is reported as a 401.
            if challenge.proposedCredential == nil || challenge.previousFailureCount > 0 {
                return completionHandler(.cancelAuthenticationChallenge, nil)
            }
        #endif
        completionHandler(.performDefaultHandling, nil)
    }

    // The session requests a stream each time it sends the body, but on Linux, the request contains the first stream.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(self.task(of: task)?.newBodyStream())
    }

    #if !canImport(FoundationNetworking)
        func urlSession(
            _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
            completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) {
            completionHandler(self.task(of: task)?.newBodyStream(after: offset))
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            self.task(of: task)?.receive(metrics)
        }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let ended = tasks.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
        ended?.complete(error)
    }

    private func task(of sessionTask: URLSessionTask) -> SessionTransfer? {
        tasks.withLock { $0[ObjectIdentifier(sessionTask)] }
    }
}
