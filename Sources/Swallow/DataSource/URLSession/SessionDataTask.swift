import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One hop through a session.
///
/// On Linux, a session's own `suspend()` and `cancel()` abort the process where they meet the end of a task or a
/// redirect. There, a suspended task goes on, and cancels go through the delegate queue, on which tasks end and
/// redirects are declined.
final class SessionDataTask: DataTask {
    private struct State: Sendable {
        /// Nil once the response isn't wanted any more.
        var hop: Hop?
        var progress = Progress.created
        var response: URLResponse?
        var body = Data()
        #if canImport(Security)
            /// Why the session is told to cancel the task.
            var reason: URLError?
        #endif
        /// The latest sending of the request's body.
        var sending: BodySending?
        /// How much of a rejected response's body was dropped.
        var dropped = 0
        /// The head, once it was accepted.
        var head: HTTPURLResponse?
        #if !canImport(FoundationNetworking)
            var metrics: TransferMetrics?
        #endif
    }

    /// What the session was told; a cancel and a declined redirect exclude each other.
    private enum Progress { case created, started, redirectDeclined, cancelled }

    private let session: URLSession
    private let task: URLSessionDataTask
    /// The request's body, if the session reads it from streams.
    private let requestBody: RequestBody?
    /// The request from which redirects are made; nil if that is the hop's own.
    private let kept: URLRequest?
    private let maximumSize: Int
    private let outbox: Outbox<State>

    /// - Parameters:
    ///   - body: the body, if the session reads it from streams; nil if it has the body, or there is none.
    ///   - kept: the request from which redirects are made; nil if that is the hop's own.
    init(
        _ task: URLSessionDataTask, _ session: URLSession, _ hop: Hop, body: RequestBody?,
        keeping kept: URLRequest?,
        maximumSize: Int
    ) {
        self.task = task
        self.session = session
        requestBody = body
        self.kept = kept
        self.maximumSize = maximumSize
        outbox = Outbox(State(hop: hop), hop)
    }

    func resume() {
        // On Linux the session goes on while the task is suspended: an end that came meanwhile is delivered here.
        let hop = outbox.change(isOwnCall: true) { state, queue -> Hop? in
            queue.resume()
            defer { if queue.isOpen, state.progress == .created { state.progress = .started } }
            #if canImport(FoundationNetworking)
                return state.progress == .created ? state.hop : nil
            #else
                return state.hop
            #endif
        }
        guard let hop else { return }
        if let kept { hop.replaceRequest(kept) }
        task.resume()
    }

    func suspend() {
        let isUnderWay = outbox.update { state, queue in
            if state.progress == .created { return false }
            queue.suspend()
            return state.hop != nil
        }
        #if !canImport(FoundationNetworking)
            // A session's task counts its suspensions, and begins with one. One whose response isn't wanted any more
            // would never be resumed.
            if isUnderWay { task.suspend() }
        #endif
    }

    func cancel() {
        // Released outside the lock.
        let (sending, rest) = outbox.update { state, queue in
            defer { state.body = Data() }
            return (state.sending, (state.hop.take(), state.body, queue.abandon()))
        }
        sending?.cancel()
        withExtendedLifetime(rest) { stop() }
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        outbox.change(isOwnCall: true) { state, queue in
            guard queue.stream(to: receiver) else { return }
            if let head = state.head { queue.add(.head(head)) }
            queue.add(.bytes(state.body))
            state.body = Data()
        }
    }

    /// Cancels the session's task, unless it has declined a redirect on Linux.
    private func stop() {
        #if canImport(FoundationNetworking)
            session.delegateQueue.addOperation {
                let cancels = self.outbox.update { state, _ in
                    if state.progress == .redirectDeclined { return false }
                    state.progress = .cancelled
                    return true
                }
                if cancels { self.task.cancel() }
            }
        #else
            task.cancel()
        #endif
    }
}

// MARK: - The session's events, on its delegate queue

extension SessionDataTask {
    func receive(_ response: URLResponse) {
        let hop = outbox.update { state, _ in
            state.response = response
            state.body = Data()
            return state.hop
        }
        guard let hop, let head = response as? HTTPURLResponse else { return }
        if hop.receiveHead(head) { return reject() }
        awaitClaim(head)
        outbox.change { state, queue in
            state.head = head
            queue.add(.head(head))
        }
    }

    /// Lets go of a response that was rejected.
    private func reject() {
        let (queue, isStuck) = outbox.update { state, queue in
            state.hop = nil
            return (queue.abandon(), queue.isSuspended)
        }
        // A rejected task is never resumed.
        withExtendedLifetime(queue) { if isStuck { stop() } }
    }

    /// Ends a task whose head announces too long a body for memory, unless a sink claims the body soon.
    private func awaitClaim(_ head: HTTPURLResponse) {
        guard head.expectedContentLength > maximumSize, task.originalRequest?.httpMethod != "HEAD",
            head.statusCode != 204, head.statusCode != 304
        else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + ResponseSize.claimTime) { [weak self] in
            guard let self else { return }
            let isRefused = outbox.change { state, queue in
                guard queue.isOpen, !queue.isStreamed else { return false }
                self.refuseSize(&state, &queue)
                return true
            }
            if isRefused { stop() }
        }
    }

    /// Ends the task in the same step that found the body too long: before the next one, a sink could claim it.
    private func refuseSize(_ state: inout State, _ queue: inout PartQueue) {
        let error = ResponseSize.error(over: maximumSize, url: task.originalRequest?.url)
        queue.end(with: Ending(nil, state.response, error))
        state.body = Data()
    }

    func receive(_ data: Data) {
        let stops = outbox.change { state, queue in
            guard queue.isOpen else {
                state.dropped += data.count
                return state.dropped > Exchange.drainLimit
            }
            if queue.isStreamed {
                queue.add(.bytes(data))
            } else if data.count > maximumSize - state.body.count {
                refuseSize(&state, &queue)
                return true
            } else if state.body.isEmpty {
                state.body = data
            } else {
                state.body.append(data)
            }
            return false
        }
        if stops { stop() }
    }

    /// Whether to tell the session that its task doesn't follow a redirect; not for a cancelled task.
    func declinesRedirect() -> Bool {
        outbox.update { state, _ in
            if state.progress == .cancelled { return false }
            state.progress = .redirectDeclined
            return true
        }
    }

    #if canImport(Security)
        /// Sets the error to end with in place of the session's.
        func end(with error: URLError) {
            outbox.update { state, _ in state.reason = error }
        }
    #endif

    /// A new stream of the request's body, from an offset on.
    ///
    /// The second stream of a body that can be sent only once ends the task.
    func newBodyStream(after offset: Int64 = 0) -> InputStream? {
        guard let requestBody else { return nil }
        let (stream, sending) = requestBody.startSending(after: offset)
        take(sending)
        return stream
    }

    /// Takes the latest sending of the request's body, whose failure ends the task.
    func take(_ sending: BodySending) {
        let (previous, isWanted) = outbox.update { state, queue in
            let previous = state.sending
            state.sending = sending
            return (previous, queue.isOpen)
        }
        previous?.cancel()
        if isWanted {
            sending.whenFailed { [weak self] _ in self?.stop() }
        } else {
            sending.cancel()
        }
    }

    func complete(_ error: (any Error)?) {
        let (response, body, sending) = outbox.update { state, _ in
            defer { (state.body, state.sending) = (Data(), nil) }
            return (state.response ?? task.response, state.body, state.sending)
        }
        // The session's own error, if it has one, doesn't say why the body couldn't be sent.
        var error = sending?.failure ?? error
        #if canImport(Security)
            error = outbox.withState { state in state.reason } ?? error
        #endif
        sending?.cancel()
        // On Linux a 401 without credentials ends as a cancelled challenge.
        let isUnauthorized = (response as? HTTPURLResponse)?.statusCode == 401
        let ending: Ending
        if let error, !(isUnauthorized && (error as? URLError)?.code == .cancelled) {
            ending = Ending(nil, response, (error as? URLError)?.code == .timedOut ? timeout : error)
        } else {
            ending = Ending(body, response, nil)
        }
        // The hop is returned, so that it is released outside the lock.
        let hop = outbox.change { state, queue in
            queue.end(with: ending)
            return state.hop.take()
        }
        withExtendedLifetime(hop) {}
    }

    /// The error of a session's timeout, with the time that the session's own doesn't name.
    private var timeout: URLError {
        let request = task.originalRequest
        let seconds = request?.timeoutInterval ?? session.configuration.timeoutIntervalForRequest
        var information: [String: Any] = [
            NSLocalizedDescriptionKey: "no byte came for \(seconds) seconds"
        ]
        if let url = request?.url { information[NSURLErrorFailingURLErrorKey] = url }
        return URLError(.timedOut, userInfo: information)
    }
}

// MARK: - What is known of the transfer

extension SessionDataTask {
    var transferProgress: TransferProgress {
        func known(_ count: Int64) -> Int64? { count > 0 ? count : nil }
        return TransferProgress(
            sent: task.countOfBytesSent, received: task.countOfBytesReceived,
            expectedToSend: known(task.countOfBytesExpectedToSend),
            expectedToReceive: known(task.countOfBytesExpectedToReceive))
    }
}

#if !canImport(FoundationNetworking)
    extension SessionDataTask {
        func receive(_ metrics: URLSessionTaskMetrics) {
            // Read at once: the session's object is for its delegate's queue, and keeps what it knows of each redirect.
            let metrics = metrics.transactionMetrics.last.map(TransferMetrics.init)
            outbox.update { state, _ in state.metrics = metrics }
        }

        var transferMetrics: TransferMetrics? { outbox.withState { state in state.metrics } }
    }

    extension TransferMetrics {
        fileprivate init(_ transaction: URLSessionTaskTransactionMetrics) {
            let start = transaction.fetchStartDate ?? Date()
            self.init(start: start)
            func time(_ date: Date?) -> Duration? {
                date.map { Duration(clamping: $0.timeIntervalSince(start)) }
            }
            domainLookupEnd = time(transaction.domainLookupEndDate)
            // A session counts the handshake to the connection.
            connectEnd = time(transaction.secureConnectionStartDate ?? transaction.connectEndDate)
            secureConnectionEnd = time(transaction.secureConnectionEndDate)
            requestEnd = time(transaction.requestEndDate)
            responseStart = time(transaction.responseStartDate)
            responseEnd = time(transaction.responseEndDate)
            bytesSent = transaction.countOfRequestBodyBytesSent
            bytesReceived = transaction.countOfResponseBodyBytesReceived
            protocolName = transaction.networkProtocolName
            isConnectionReused = transaction.isReusedConnection
            remoteAddress = transaction.remoteAddress.map { address in
                let host = address.contains(":") ? "[\(address)]" : address
                return transaction.remotePort.map { "\(host):\($0)" } ?? host
            }
        }
    }
#endif
