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
        var isSuspended = false
        #if canImport(FoundationNetworking)
            /// What it ends with once it is resumed: the session itself goes on.
            var ending: Ending?
        #endif
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
        /// The calls to be made where parts are wanted.
        var queue: PartQueue?
        #if !canImport(FoundationNetworking)
            var metrics: TransferMetrics?
        #endif
    }

    /// What the session was told; a cancel and a declined redirect exclude each other.
    private enum Progress { case created, started, redirectDeclined, cancelled }

    private let session: URLSession
    private let task: URLSessionDataTask
    /// What the session asks for in streams.
    private let requestBody: RequestBody?
    /// The form in which the request is sent again, where that isn't its own.
    private let kept: URLRequest?
    private let maximumSize: Int
    private let state: Lock<State>

    /// - Parameters:
    ///   - body: what the session asks for in streams; nil where it has the body, or there is none.
    ///   - kept: the form in which the request is sent again, where that isn't its own.
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
        state = Lock(State(hop: hop))
    }

    func resume() {
        #if canImport(FoundationNetworking)
            let end = state.withLock { state in
                state.isSuspended = false
                return state.ending.take().map { ($0, state.hop.take()) }
            }
            if let (ending, hop) = end { hop?.receive(ending) }
        #endif
        let (starts, isCallDue) = state.withLock { state in
            state.isSuspended = false
            state.queue?.resume()
            let isCallDue = state.queue?.isCallDueElsewhere == true
            guard state.hop != nil else { return (false, isCallDue) }
            defer { if state.progress == .created { state.progress = .started } }
            #if canImport(FoundationNetworking)
                return (state.progress == .created, isCallDue)
            #else
                return (true, isCallDue)
            #endif
        }
        if isCallDue { deliverSoon() }
        if starts {
            if let kept { state.withLock { $0.hop }?.replaceRequest(kept) }
            task.resume()
        }
    }

    func suspend() {
        state.withLock { state in
            if state.progress == .created { return }
            state.isSuspended = true
            state.queue?.suspend()
        }
        #if !canImport(FoundationNetworking)
            // A session's task counts, and is suspended once by its making.
            if state.withLock({ $0.progress != .created }) { task.suspend() }
        #endif
    }

    func cancel() {
        // Let go of outside the lock, together with the body.
        let previous = state.withLock { state in
            let previous = state
            (state.hop, state.body, state.queue) = (nil, Data(), nil)
            return previous
        }
        previous.sending?.cancel()
        withExtendedLifetime(previous) { stop() }
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        let isCallDue = state.withLock { state in
            guard let hop = state.hop, state.queue == nil else { return false }
            #if canImport(FoundationNetworking)
                // What waits for resume() comes whole.
                if state.ending != nil { return false }
            #endif
            var queue = PartQueue { hop.receive(Ending($0, $1, $2)) }
            if state.isSuspended { queue.suspend() }
            _ = queue.stream(to: receiver)
            if let head = state.head { queue.add(.head(head)) }
            queue.add(.bytes(state.body))
            state.body = Data()
            state.queue = queue
            return state.queue?.isCallDueElsewhere == true
        }
        if isCallDue { deliverSoon() }
    }

    private func deliverSoon() {
        DispatchQueue.deliveries.async { if self.takeTurn() { self.deliver() } }
    }

    private func takeTurn() -> Bool { state.withLock { $0.queue?.takeTurn() == true } }

    /// Makes the calls that are due; the turn was taken.
    private func deliver() {
        while let call = state.withLock({ $0.queue?.next() }) { call() }
    }

    /// Ends the session's task, when that can be.
    private func stop() {
        #if canImport(FoundationNetworking)
            session.delegateQueue.addOperation {
                let cancels = self.state.withLock { state in
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
        let hop = state.withLock { state in
            state.response = response
            state.body = Data()
            return state.hop
        }
        guard let hop, let head = response as? HTTPURLResponse else { return }
        let isRejected = hop.receiveHead(head)
        if !isRejected { awaitClaim(head) }
        let (hasTurn, queue, isStuck) = state.withLock { state -> (Bool, PartQueue?, Bool) in
            if isRejected {
                state.hop = nil
                return (false, state.queue.take(), state.isSuspended)
            }
            state.head = head
            state.queue?.add(.head(head))
            return (state.queue?.takeTurn() == true, nil, false)
        }
        // A rejected task is never resumed.
        if isStuck { stop() }
        withExtendedLifetime(queue) { if hasTurn { deliver() } }
    }

    /// Ends the task soon whose head promises more than is taken into memory, unless the body goes elsewhere.
    private func awaitClaim(_ head: HTTPURLResponse) {
        guard head.expectedContentLength > maximumSize, task.originalRequest?.httpMethod != "HEAD",
            head.statusCode != 204, head.statusCode != 304
        else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + ResponseSize.claimTime) { [weak self] in
            guard let self else { return }
            if let hop = state.withLock({ state in state.queue == nil ? state.hop.take() : nil }) {
                refuseSize(hop)
            }
        }
    }

    private func refuseSize(_ hop: Hop) {
        stop()
        let error = ResponseSize.error(over: maximumSize, url: task.originalRequest?.url)
        hop.receive(Ending(nil, state.withLock { $0.response }, error))
    }

    func receive(_ data: Data) {
        let (isTooMuch, hop, hasTurn) = state.withLock { state -> (Bool, Hop?, Bool) in
            if state.hop == nil {
                state.dropped += data.count
                return (state.dropped > Exchange.drainLimit, nil, false)
            }
            if state.queue != nil {
                state.queue?.add(.bytes(data))
                return (false, nil, state.queue?.takeTurn() == true)
            }
            if data.count > maximumSize - state.body.count {
                state.body = Data()
                return (true, state.hop.take(), false)
            }
            if state.body.isEmpty { state.body = data } else { state.body.append(data) }
            return (false, nil, false)
        }
        if hasTurn { deliver() }
        guard isTooMuch else { return }
        if let hop { refuseSize(hop) } else { stop() }
    }

    /// Whether to tell the session that its task doesn't follow a redirect; not for a cancelled task.
    func declinesRedirect() -> Bool {
        state.withLock { state in
            if state.progress == .cancelled { return false }
            state.progress = .redirectDeclined
            return true
        }
    }

    #if canImport(Security)
        /// Ends with an error in place of the session's.
        func end(with error: URLError) {
            state.withLock { $0.reason = error }
        }
    #endif

    /// The request's body from its beginning, or from behind so many of its bytes.
    ///
    /// One that can be sent once only ends the task from the second time on.
    func newBodyStream(after offset: Int64 = 0) -> InputStream? {
        guard let requestBody else { return nil }
        let (stream, sending) = requestBody.startSending(after: offset)
        take(sending)
        return stream
    }

    /// Takes the latest sending of the request's body, whose failure ends the task.
    func take(_ sending: BodySending) {
        let (previous, isWanted) = state.withLock { state in
            let previous = state.sending
            state.sending = sending
            return (previous, state.hop != nil || state.queue != nil)
        }
        previous?.cancel()
        if isWanted {
            sending.whenFailed { [weak self] _ in self?.stop() }
        } else {
            sending.cancel()
        }
    }

    func complete(_ error: (any Error)?) {
        let (response, body, sending) = state.withLock { state in
            defer { (state.body, state.sending) = (Data(), nil) }
            return (state.response ?? task.response, state.body, state.sending)
        }
        // The session has an error of its own at best.
        var error = sending?.failure ?? error
        #if canImport(Security)
            error = state.withLock { $0.reason } ?? error
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
        let (hop, hasTurn) = state.withLock { state -> (Hop?, Bool) in
            if state.queue != nil {
                // The queue has it.
                state.hop = nil
                state.queue?.end(with: ending)
                return (nil, state.queue?.takeTurn() == true)
            }
            #if canImport(FoundationNetworking)
                if state.isSuspended {
                    state.ending = ending
                    return (nil, false)
                }
            #endif
            return (state.hop.take(), false)
        }
        if hasTurn { deliver() }
        hop?.receive(ending)
    }

    /// The error of a session that waited too long, which doesn't say how long.
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
            state.withLock { $0.metrics = metrics }
        }

        var transferMetrics: TransferMetrics? { state.withLock { $0.metrics } }
    }

    extension TransferMetrics {
        fileprivate init(_ transaction: URLSessionTaskTransactionMetrics) {
            let start = transaction.fetchStartDate ?? Date()
            self.init(start: start)
            func time(_ date: Date?) -> Duration? {
                date.map { Duration(clamping: $0.timeIntervalSince(start)) }
            }
            nameLookUpEnd = time(transaction.domainLookupEndDate)
            // A session counts the handshake to the connection.
            connectionEnd = time(transaction.secureConnectionStartDate ?? transaction.connectEndDate)
            tlsEnd = time(transaction.secureConnectionEndDate)
            requestEnd = time(transaction.requestEndDate)
            firstByte = time(transaction.responseStartDate)
            lastByte = time(transaction.responseEndDate)
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
