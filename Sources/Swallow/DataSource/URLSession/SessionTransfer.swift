import Foundation

/// One transfer through a session. On Linux, a paused task continues to receive, and cancels are sent through the
/// delegate queue, where tasks complete, because `suspend()` and `cancel()` of the task can crash the process.
final class SessionTransfer: Transfer {
    /// On Linux, a cancel and a declined redirect exclude each other.
    fileprivate enum Progress { case created, started, redirectDeclined, cancelled }

    fileprivate struct State: Sendable {
        var transfer = TransferState()
        var progress = Progress.created
        var start: ContinuousClock.Instant?
        var wantsParts = false
        #if !canImport(FoundationNetworking)
            var isSuspended = false
            var metrics: TransferMetrics?
        #endif
        var response: URLResponse?
        var body = Data()
        var result: TransferResult?
        var failure: (any Error)?
        var sending: BodySending?
    }

    private let session: URLSession
    private let task: URLSessionDataTask
    private let requestBody: RequestBody?
    /// The request from which redirects are made, or `nil` if it is the transfer's own request.
    private let redirectRequest: URLRequest?
    private let maximumSize: Int
    private let state = Lock(State())

    init(
        _ task: URLSessionDataTask, _ session: URLSession, body: RequestBody?, redirectRequest: URLRequest?,
        maximumSize: Int
    ) {
        self.task = task
        self.session = session
        requestBody = body
        self.redirectRequest = redirectRequest
        self.maximumSize = maximumSize
    }
}

// MARK: - Calls of the owner

extension SessionTransfer {
    func start(inParts: Bool, for receiver: TransferReceiver) {
        let starts = state.withLock { state in
            if inParts { state.wantsParts = true }
            guard case .created = state.progress, state.failure == nil else { return false }
            (state.progress, state.start) = (.started, .now)
            state.transfer.start(for: receiver)
            return true
        }
        guard starts else { return }
        if let redirectRequest { receiver.replaceRequest(redirectRequest) }
        task.resume()
    }

    func deliverParts() {
        state.withLock { $0.wantsParts = true }
        onDelegateQueue { $0.deliverBody() }
    }

    func setPause(_ pause: TransferPause) {
        state.withLock { state in
            // A later pause must not delay a failed transfer.
            if state.failure == nil || pause == .none { state.transfer.setPaused(pause != .none) }
        }
        onDelegateQueue { transfer in
            transfer.suspendSession()
            transfer.deliverBody()
        }
    }

    func cancel() {
        let (sending, rest) = state.withLock { state in
            defer { state.body = Data() }
            return (state.sending, (state.body, state.transfer.end()))
        }
        sending?.cancel()
        withExtendedLifetime(rest) { stop() }
    }

    func fail(with error: any Error, for receiver: TransferReceiver) {
        let wasCreated = state.withLock { state in
            state.failure = state.failure ?? error
            state.transfer.setPaused(false)
            state.transfer.start(for: receiver)
            return state.progress == .created
        }
        onDelegateQueue { transfer in
            // A session may report nothing for a task that wasn't started, and nothing more for a completed one.
            if wasCreated { transfer.complete(error) } else { transfer.failWaitingResult(with: error) }
        }
        stop()
    }

    private func failWaitingResult(with error: any Error) {
        state.withLock { state in
            if state.result != nil { (state.result, state.body) = (.failure(error, nil), Data()) }
        }
        deliverBody()
    }

    var facts: TransferFacts {
        func known(_ count: Int64) -> Int64? { count > 0 ? count : nil }
        let progress = TransferProgress(
            sent: task.countOfBytesSent, received: task.countOfBytesReceived,
            expectedToSend: known(task.countOfBytesExpectedToSend),
            expectedToReceive: known(task.countOfBytesExpectedToReceive))
        #if canImport(FoundationNetworking)
            return TransferFacts(progress: progress)
        #else
            return TransferFacts(progress: progress, metrics: state.withLock { $0.metrics })
        #endif
    }

    private func onDelegateQueue(_ body: @escaping @Sendable (SessionTransfer) -> Void) {
        session.delegateQueue.addOperation { body(self) }
    }

    /// Suspends or resumes the session's task after a change. Does nothing on Linux.
    private func suspendSession() {
        #if !canImport(FoundationNetworking)
            let isPaused = state.withLock { state -> Bool? in
                guard state.progress == .started, state.transfer.isPaused != state.isSuspended else {
                    return nil
                }
                state.isSuspended = state.transfer.isPaused
                return state.isSuspended
            }
            switch isPaused {
            case true?: task.suspend()
            case false?: task.resume()
            case nil: break
            }
        #endif
    }

    private func stop() {
        #if canImport(FoundationNetworking)
            onDelegateQueue { transfer in
                let cancels = transfer.state.withLock { state in
                    if state.progress == .redirectDeclined { return false }
                    state.progress = .cancelled
                    return true
                }
                if cancels { transfer.task.cancel() }
            }
        #else
            task.cancel()
        #endif
    }
}

// MARK: - The session's events, on its delegate queue

extension SessionTransfer {
    func receive(_ response: URLResponse) {
        // A session on Linux also reports informational responses (RFC 9110 §15.2).
        let status = (response as? HTTPURLResponse)?.statusCode ?? 200
        if (100..<200).contains(status), status != 101 { return }
        let isHead = state.withLock { state in
            state.response = response
            state.body = Data()
            return state.transfer.isAwaitingHead
        }
        if isHead, let head = response as? HTTPURLResponse { deliverHead(head) }
    }

    private func deliverHead(_ head: HTTPURLResponse) {
        if let answer = state.withLock({ $0.transfer.receiver })?.receiveHead(ResponseHead(head)) {
            let (isStuck, _) = state.withLock { $0.transfer.take(answer) }
            if isStuck { stop() }
        }
        if state.withLock({ $0.transfer.isAccepted }) { awaitDelivery(of: head) }
    }

    /// Fails the transfer if its body is too long for memory, unless the owner soon requests the body in parts.
    private func awaitDelivery(of head: HTTPURLResponse) {
        guard head.expectedContentLength > maximumSize, task.originalRequest?.httpMethod != "HEAD",
            head.statusCode != 204, head.statusCode != 304
        else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + ResponseSize.sinkTimeout) { [weak self] in
            self?.onDelegateQueue { transfer in
                if transfer.state.withLock({ !$0.wantsParts }) { transfer.failTooLong() }
            }
        }
    }

    private func failTooLong() {
        finish(.failure(ResponseSize.error(over: maximumSize, url: task.originalRequest?.url), nil))
        stop()
    }

    func receive(_ data: Data) {
        let (isTooLong, isDrained) = state.withLock { state in
            guard state.transfer.isAccepted else { return (false, state.transfer.drop(data)) }
            if !state.wantsParts, data.count > maximumSize - state.body.count { return (true, false) }
            if state.body.isEmpty { state.body = data } else { state.body.append(data) }
            return (false, false)
        }
        if isDrained { stop() }
        guard isTooLong else { return deliverBody() }
        guard state.withLock({ $0.transfer.receiver })?.wantsParts == true else { return failTooLong() }
        state.withLock { $0.wantsParts = true }
        receive(data)
    }

    private func deliverBody() {
        let (transfer, body) = state.withLock { state in
            let isReady = state.transfer.isAccepted && !state.transfer.isPaused && state.wantsParts
            guard isReady, !state.body.isEmpty else { return (state.transfer, Data?.none) }
            defer { state.body = Data() }
            return (state.transfer, state.body)
        }
        if let body, case .pause? = transfer.receiver?.receiveBodyPart(body) {
            _ = state.withLock { $0.failure == nil && $0.transfer.fill(since: transfer.pauseChanges) }
            suspendSession()
        }
        let result = state.withLock { state -> TransferResult? in
            guard state.transfer.isAccepted, !state.transfer.isPaused, let result = state.result.take() else {
                return nil
            }
            _ = state.transfer.end()
            guard case .success = result else { return result }
            defer { state.body = Data() }
            return .success(state.body)
        }
        if let result { transfer.receiver?.receiveCompletion(result) }
    }

    func declinesRedirect() -> Bool {
        state.withLock { state in
            if state.progress == .cancelled { return false }
            state.progress = .redirectDeclined
            return true
        }
    }

    #if canImport(Security)
        func replaceError(by error: URLError) {
            state.withLock { $0.failure = error }
        }
    #endif

    /// Returns a new stream of the body. The transfer fails if the body can be sent only once and was sent before.
    func newBodyStream(after offset: Int64 = 0) -> InputStream? {
        guard let requestBody else { return nil }
        let (stream, sending) = requestBody.startSending(after: offset)
        use(sending)
        return stream
    }

    func use(_ sending: BodySending) {
        let (previous, isWanted) = state.withLock { state in
            defer { state.sending = sending }
            return (state.sending, !state.transfer.isOver)
        }
        previous?.cancel()
        if isWanted {
            sending.whenFailed { [weak self] _ in self?.stop() }
        } else {
            sending.cancel()
        }
    }

    func complete(_ error: (any Error)?) {
        let (response, sending, failure) = state.withLock { state in
            (state.response ?? task.response, state.sending, state.failure)
        }
        let head = response as? HTTPURLResponse
        // The session's own error doesn't state why the body couldn't be sent.
        let error = failure ?? sending?.failure ?? sessionError(error, head)
        sending?.cancel()
        if let error { return finish(.failure(error, head.map(ResponseHead.init))) }
        if let head, state.withLock({ $0.transfer.isAwaitingHead }) { deliverHead(head) }
        if state.withLock({ $0.transfer.isAwaitingHead }) {
            let detail =
                "the data source returned \(response == nil ? "no response" : "a response that isn't HTTP")"
            return finish(.failure(ServiceError(.invalidResponse, detail: detail), nil))
        }
        finish(.success(Data()))
    }

    private func sessionError(_ error: (any Error)?, _ head: HTTPURLResponse?) -> (any Error)? {
        switch (error as? URLError)?.code {
        // On Linux, a 401 without credentials is reported as a cancelled challenge.
        case .cancelled? where head?.statusCode == 401: nil
        case .timedOut?: timeout
        default: error
        }
    }

    private func finish(_ result: TransferResult) {
        let isReady = state.withLock { state in
            if state.transfer.isOver { return false }
            if state.result == nil { state.result = result }
            if state.transfer.isAwaitingHead { state.transfer.phase = .accepted }
            return true
        }
        if isReady { deliverBody() }
    }

    private var timeout: URLError {
        // On Apple platforms, the session has its own timer for the complete request.
        let settings = session.configuration
        let total = Duration(clamping: settings.timeoutIntervalForResource)
        if total > .zero, let start = state.withLock({ $0.start }), start.duration(to: .now) >= total {
            return .timeout(ofCompleteRequest: total)
        }
        // The session's interval applies if the request has the standard interval.
        let own = task.originalRequest?.timeoutInterval ?? 60
        let seconds = own == 60 ? settings.timeoutIntervalForRequest : own
        return URLError(
            .timedOut, text: "no byte arrived for \(seconds) seconds", url: task.originalRequest?.url)
    }
}

#if !canImport(FoundationNetworking)
    extension SessionTransfer {
        func receive(_ metrics: URLSessionTaskMetrics) {
            let metrics = metrics.transactionMetrics.last.map(TransferMetrics.init)
            state.withLock { $0.metrics = metrics }
        }
    }

    extension TransferMetrics {
        fileprivate init(_ transaction: URLSessionTaskTransactionMetrics) {
            let start = transaction.fetchStartDate ?? Date()
            self.init(start: start)
            func time(_ date: Date?) -> Duration? {
                date.map { Duration(clamping: $0.timeIntervalSince(start)) }
            }
            domainLookupEnd = time(transaction.domainLookupEndDate)
            // A session includes the handshake in the connection's time.
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
