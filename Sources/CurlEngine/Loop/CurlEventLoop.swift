#if os(Linux) && canImport(Glibc)
    internal import CurlBinding

    /// The event loop, which runs on its own thread. While it runs, only this thread uses its libcurl handles.
    final class CurlEventLoop {
        private let inbox: CurlInbox
        private let multi: UnsafeMutableRawPointer
        private let poller: CurlPoller
        private var arrived: [CurlInbox.Item] = []
        var active: [ObjectIdentifier: EasyTransfer] = [:]
        private var ended: [(EasyTransfer, Int32)] = []
        var queue: CurlQueue
        let thread: LoopThread
        let commons: CurlCommons
        private var maySend = true

        private static let idleMilliseconds: Int32 = 2000

        init(_ inbox: CurlInbox, _ configuration: EngineConfiguration) {
            self.inbox = inbox
            thread = LoopThread(inbox)
            multi = inbox.multi.handle
            poller = CurlPoller(multi)
            commons = CurlCommons(configuration, poller)
            queue = CurlQueue(configuration)
            let connections = max(0, configuration.connections)
            _ = swallow_curl_multi_set_long(multi, CurlMultiOption.connections, connections)
            _ = swallow_curl_multi_set_long(
                multi, CurlMultiOption.connectionsPerHost, max(0, configuration.connectionsPerHost))
            if connections > 0 {
                _ = swallow_curl_multi_set_long(multi, CurlMultiOption.idleConnections, connections)
            }
        }

        /// Runs until the inbox is closed, then frees the handles. Call this function only once.
        func run() {
            CurlLibrary.blockBrokenPipeSignals()
            thread.begin()
            while inbox.take(&arrived) {
                commons.now = CurlClock.now
                for item in arrived {
                    switch item {
                    case .command(let command, let transfer): perform(command, on: transfer)
                    case .visit(let visit): visit(commons.cookies)
                    case .stopSending: maySend = false
                    }
                }
                arrived.removeAll(keepingCapacity: true)
                poller.act()
                noticeEndedTunnels()
                deliver()
                finishEnded()
                if commons.now >= commons.nextCheck { checkTimes() }
                startWaiting()
                thread.clear()
                commons.cookies?.saveIfNeeded(commons.now)
                if let waker = inbox.sleep() {
                    sleep(waker)
                } else {
                    poller.look()
                }
            }
            // Unfinished tasks keep the loop alive. A transfer left was cancelled or not started, or the process exits.
            for item in arrived {
                switch item {
                case .visit(let visit): visit(commons.cookies)
                case .command(.fail(let failure, let owner), _):
                    owner.receiveCompletion(.failure(failure))
                case .command, .stopSending: break
                }
            }
            for transfer in Array(active.values) { _ = remove(transfer) }
            (arrived, commons.streaming) = ([], [])
            commons.tunnels = []
            commons.pool.empty()
            commons.cookies?.saveAtEnd()
            swallow_curl_multi_cleanup(multi)
            for place in queue.removeAll() { end(place) }
            thread.end()
        }

        private func sleep(_ waker: Int32) {
            let isIdle = active.isEmpty && commons.usesPool
            let limit: Int32 = isIdle ? Self.idleMilliseconds : .max
            poller.wait(waker, min(limit, millisecondsToSleep))
            if isIdle, CurlClock.now - commons.now >= UInt64(Self.idleMilliseconds) * 1_000_000 {
                commons.pool.empty()
                commons.usesPool = false
            }
        }

        func begin(
            _ transfer: EngineTransfer, _ request: CurlRequest, at host: CurlQueue.Host?,
            since start: UInt64, idleSince idleStart: UInt64
        ) {
            let active =
                maySend
                ? EasyTransfer(transfer, request, at: host, since: start, idleSince: idleStart, commons) : nil
            guard let active else {
                if let host { queue.leave(host) }
                return end(
                    transfer, cancelling: request.streamedBody,
                    maySend
                        ? .transport(.unknown, "libcurl is out of memory")
                        : .transport(.cancelled, "the data source was shut down"))
            }
            if let failure = active.prepare() ?? add(active) {
                leaveHost(active)
                return end(transfer, cancelling: request.streamedBody, failure)
            }
            transfer.stage = .active(active)
            self.active[ObjectIdentifier(transfer)] = active
            commons.check(by: active.deadline)
        }

        /// Ends a transfer that isn't active.
        func end(
            _ transfer: EngineTransfer, cancelling body: (any EngineBodySource)?,
            _ failure: EngineFailure? = nil
        ) {
            cancelLater(body)
            transfer.stage = .over
            let owner = transfer.owner.take()
            if let failure { owner?.receiveCompletion(.failure(failure)) }
        }

        func end(_ place: CurlQueue.Waiting, _ failure: EngineFailure? = nil) {
            end(place.transfer, cancelling: place.request.streamedBody, failure)
        }

        /// Cancels a body on another thread, because this may run the app's code.
        func cancelLater(_ body: (any EngineBodySource)?) {
            if let body { thread.postpone { body.cancel() } }
        }

        private func add(_ transfer: EasyTransfer) -> EngineFailure? {
            let code = swallow_curl_multi_add(multi, transfer.handle.easy)
            return code == 0 ? nil : .transport(.unknown, "libcurl can't start the request (code \(code))")
        }

        /// While libcurl waits for bytes to send, it doesn't notice that the server has closed a tunnel's connection.
        private func noticeEndedTunnels() {
            for tunnel in commons.tunnels {
                if let code = tunnel.noticeEnd() { finish(tunnel, code) }
            }
        }

        private func deliver() {
            if commons.streaming.isEmpty { return }
            for transfer in commons.streaming { transfer.deliver() }
            commons.streaming.removeAll(keepingCapacity: true)
        }

        private func finishEnded() {
            var code: Int32 = 0
            // Collect all messages first, because libcurl searches the remaining ones whenever a handle is removed.
            while let easy = swallow_curl_multi_next_ended(multi, &code) {
                guard let context = swallow_curl_get_pointer(easy, CurlInfo.privateData) else { continue }
                ended.append((Unmanaged<EasyTransfer>.fromOpaque(context).takeUnretainedValue(), code))
            }
            for (transfer, code) in ended { finish(transfer, code) }
            ended.removeAll(keepingCapacity: true)
        }

        func finish(_ transfer: EasyTransfer, _ code: Int32) {
            if transfer.sending.isStale, maySend, sendAgain(transfer) { return }
            guard transfer.ends(with: code) else { return leaveHost(transfer) }
            let result = transfer.result(of: code)
            if transfer.hasOwner { transfer.transfer.note(.report(transfer.report)) }
            remove(transfer)?.receiveCompletion(result)
        }

        /// The handle can be used again, because it has received no header field.
        private func sendAgain(_ transfer: EasyTransfer) -> Bool {
            swallow_curl_multi_remove(multi, transfer.handle.easy)
            transfer.restart()
            return swallow_curl_multi_add(multi, transfer.handle.easy) == 0
        }

        @discardableResult
        func discard(_ transfer: EasyTransfer) -> (any EngineTransferOwner)? {
            if transfer.abandonLookup() { return transfer.transfer.owner.take() }
            transfer.handle.prepareToAbort()
            return remove(transfer)
        }

        private func remove(_ transfer: EasyTransfer) -> (any EngineTransferOwner)? {
            swallow_curl_multi_remove(multi, transfer.handle.easy)
            leaveHost(transfer)
            transfer.noteEnd()
            cancelLater(transfer.sending.source)
            let ended = transfer.transfer
            active[ObjectIdentifier(ended)] = nil
            ended.stage = .over
            return ended.owner.take()
        }

        private func leaveHost(_ transfer: EasyTransfer) {
            if let host = transfer.host.take() { queue.leave(host) }
        }

        private func checkTimes() {
            let now = commons.now
            for transfer in active.values.filter({ $0.deadline <= now }) {
                let (failure, head) = (transfer.lateness, transfer.response.completeHead)
                discard(transfer)?.receiveCompletion(.failure(failure, head))
            }
            failLate(now)
            commons.nextCheck = queue.deadline
            for transfer in active.values { commons.check(by: transfer.deadline) }
            if commons.nextCheck != CurlClock.never {
                commons.nextCheck = max(commons.nextCheck, now + 5_000_000)
            }
        }

        private var millisecondsToSleep: Int32 {
            let next = min(commons.nextCheck, commons.cookies?.saveTime ?? CurlClock.never)
            guard next != CurlClock.never else { return 60_000 }
            let now = CurlClock.now
            guard next > now else { return 0 }
            return Int32(min((next - now) / 1_000_000 + 1, 60_000))
        }
    }
#endif
