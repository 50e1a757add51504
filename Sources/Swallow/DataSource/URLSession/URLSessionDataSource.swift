import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Moves requests with a URLSession of its own, whose delegate keeps the rules of Swallow: redirects go by a
/// ``RedirectPolicy``, a 401 without credentials ends as a 401, and the configuration's
/// `timeoutIntervalForResource` holds on every platform, redirects included.
///
/// A body that isn't in memory is read while it is sent. On Linux, one from an asynchronous sequence ends in
/// `.invalidRequest`, and all others go out in chunks.
///
/// Completions come on the session's serial delegate queue and are expected to return at once.
///
/// Bodies stream. On Apple platforms, a task stops the sender while it is suspended, or while its reader can't keep up.
/// A session on Linux can't: it goes on receiving, and keeps the bytes in memory. There, use ``CurlDataSource`` for
/// bodies of any size.
public final class URLSessionDataSource: SessionDataTaskDataSource {
    private let sessions: Sessions
    private let tasks: SessionDataTasks
    package let maximumBodySize: Int
    let redirectPolicy: RedirectPolicy
    let openAttempts = OpenAttempts()
    let timeLimit: Duration?

    /// Makes a data source with a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: the session's. On Linux its `urlCache` is not used: a cancel that meets a refused
    ///     connection aborts the process there, in the session's task registry.
    ///   - redirectPolicy: follows up to 20 redirects by default.
    ///   - maximumResponseSize: the most bytes that a response's body may have, unpacked; 256 MB by default, nil is no
    ///     limit. A larger one ends in `URLError(.dataLengthExceedsMaximum)`, while receiving. A body that is streamed
    ///     has no limit.
    public convenience init(
        configuration: URLSessionConfiguration = .default, redirectPolicy: RedirectPolicy = .follow(),
        maximumResponseSize: Int? = 256 * 1024 * 1024
    ) {
        self.init(configuration, redirectPolicy, maximumResponseSize, SessionDataTasks())
    }

    #if canImport(Security)
        /// Makes a data source with a session of its own, with pinned keys or a client certificate.
        ///
        /// - Parameters:
        ///   - configuration: the session's.
        ///   - redirectPolicy: follows up to 20 redirects by default.
        ///   - maximumResponseSize: the most bytes that a response's body may have, unpacked; 256 MB by default, nil is no
        ///     limit.
        ///   - tls: pinned keys and the client's identity. This was type-checked, and has not been run on a device.
        public convenience init(
            configuration: URLSessionConfiguration = .default, redirectPolicy: RedirectPolicy = .follow(),
            maximumResponseSize: Int? = 256 * 1024 * 1024, tls: TLS
        ) {
            self.init(configuration, redirectPolicy, maximumResponseSize, SessionDataTasks(tls))
        }
    #endif

    private init(
        _ configuration: URLSessionConfiguration, _ redirectPolicy: RedirectPolicy,
        _ maximumResponseSize: Int?,
        _ tasks: SessionDataTasks
    ) {
        self.tasks = tasks
        sessions = Sessions(configuration, tasks)
        maximumBodySize = maximumResponseSize ?? .max
        self.redirectPolicy = redirectPolicy
        let week: TimeInterval = 7 * 24 * 3600
        let seconds = configuration.timeoutIntervalForResource
        // A week is the platform's default, and stands for no limit here: a timer for each task isn't free.
        timeLimit = seconds > 0 && seconds < week ? .seconds(seconds) : nil
    }

    /// Takes no new tasks, lets those under way end, and releases the session, which closes its connections: for a
    /// server that shuts down, say.
    ///
    /// Tasks that are resumed from here on end in `URLError(.cancelled)`. So do those that are still under way or
    /// suspended when the time is over, or when the Swift task that waits here is cancelled.
    ///
    /// - Parameter limit: how long tasks may go on; zero cancels them now.
    public func shutDown(within limit: Duration) async {
        await openAttempts.close(within: limit)
        await sessions.close()
    }

    /// Returns a task of the session's that has not started.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        ManagedDataTask(completion) { ExchangeOperation(request, self, $0) }
    }
}

// On Linux, asking an invalid session for the task of a redirect aborts the process. So an exchange's owner keeps the
// data source alive, whose release invalidates the session.
extension URLSessionDataSource: TransferSource {
    func transfer(for request: URLRequest, to receiver: TransferReceiver) -> any Transfer {
        var prepared: (request: URLRequest, body: RequestBody?)
        do { prepared = try request.withSessionBody() } catch { return FailedTransfer(error, receiver) }
        #if canImport(FoundationNetworking)
            // A session that asks for its first stream adds `Expect: 100-continue`, and waits where the server says nothing.
            let first = prepared.body?.startSending(after: 0)
            if let first { prepared.request.httpBodyStream = first.0 }
            let made = sessions.dataTask(with: prepared.request, isStreamed: false)
        #else
            let made = sessions.dataTask(with: prepared.request, isStreamed: prepared.body != nil)
        #endif
        guard let (task, session) = made else { return FailedTransfer(ServiceError(.cancelled), receiver) }
        var own: URLRequest?
        if let body = prepared.body, request.streamedBody == nil {
            // An app's own stream can't be sent again after a redirect: the exchange must know.
            own = request
            own?.streamedBody = body
        }
        let transfer = SessionTransfer(
            task, session, receiver, body: prepared.body, redirectRequest: own, maximumSize: maximumBodySize)
        #if canImport(FoundationNetworking)
            if let first { transfer.use(first.1) }
        #endif
        tasks.add(transfer, for: task)
        return transfer
    }
}

/// The session's delegate: finds the task that an event belongs to.
final class SessionDataTasks: NSObject, URLSessionDataDelegate, Sendable {
    /// By object: tasks of different sessions have the same identifiers.
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
        // On Linux the session would forward Authorization to other hosts, drop the body of a 307 and resolve
        // a relative Location wrongly. The exchange follows by itself.
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
            // Without a credential, default handling never ends here; the task makes a 401 of the cancel.
            if challenge.proposedCredential == nil || challenge.previousFailureCount > 0 {
                return completionHandler(.cancelAuthenticationChallenge, nil)
            }
        #endif
        completionHandler(.performDefaultHandling, nil)
    }

    // The session asks for a stream each time it sends the body: at first, after a challenge, and after a kept connection
    // was closed. On Linux the first stream comes with the request.
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
