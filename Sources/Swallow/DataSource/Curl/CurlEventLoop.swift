#if os(Linux) && canImport(Glibc)
    internal import CurlBinding

    /// The event loop, which runs on a thread of its own. Only the code that it calls uses libcurl's handles.
    final class CurlEventLoop {
        private let inbox: CurlInbox
        private let completions: CurlWorkers
        private let multi: UnsafeMutableRawPointer
        private let poller: CurlPoller
        private var arrived: [CurlInbox.Item] = []
        var active: [ObjectIdentifier: CurlTransfer] = [:]
        /// Transfers that have ended, their handles set up for the next ones.
        private var idle: [CurlTransfer] = []
        /// Transfers that libcurl reports as ended, while they are being finished.
        private var ended: [(CurlTransfer, Int32)] = []
        var queue: CurlQueue
        let thread = LoopThread()
        let commons: CurlCommons
        /// Whether jobs of the workers wait, so that one more may be needed.
        private var isBehind = false
        /// Whether requests may still be sent: not once the data source is shut down, and cancels all of them.
        private var maySend = true
        /// When to look for transfers that have taken too long: no later than the first of them.
        var nextCheck = CurlClock.never

        private static let idleLimit = 128
        private static let idleMilliseconds: Int32 = 2000

        init(_ inbox: CurlInbox, _ configuration: CurlDataSource.Configuration, _ completions: CurlWorkers) {
            self.inbox = inbox
            self.completions = completions
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

        /// Runs until the inbox is closed, then frees everything. Must be called once only.
        func run() {
            CurlLibrary.blockBrokenPipeSignals()
            thread.begin()
            inbox.begin()
            while inbox.take(&arrived, &maySend) {
                commons.now = CurlClock.now
                for item in arrived {
                    switch item {
                    case .task(let task): attend(to: task)
                    case .visit(let visit): visit(commons.cookies)
                    case .help: isBehind = true
                    }
                }
                arrived.removeAll(keepingCapacity: true)
                unpackMore()
                poller.act()
                giveParts()
                finishEnded()
                if commons.now >= nextCheck { checkTimes() }
                startWaiting()
                thread.clear()
                commons.cookies?.saveIfDue(commons.now, on: completions)
                if isBehind { isBehind = completions.help(commons.now) }
                if commons.yielding.isEmpty, let waker = inbox.sleep() {
                    sleep(waker)
                } else {
                    // The inbox may never be empty; the sockets must have their turn, too.
                    poller.look()
                }
            }
            // Tasks that aren't over hold the loop, so those left were cancelled; or the process is about to end.
            for case .visit(let visit) in arrived { visit(commons.cookies) }
            for transfer in Array(active.values) { keep(transfer) }
            (arrived, idle, commons.yielding, commons.streaming) = ([], [], [], [])
            commons.pool.empty()
            commons.cookies?.saveAtEnd()
            swallow_curl_multi_cleanup(multi)
            for request in queue.removeAll() { release(request) }
            thread.end()
        }

        /// Waits for something to do. A loop that stays idle keeps no memory.
        private func sleep(_ waker: Int32) {
            let isIdle = active.isEmpty && commons.usesPool
            let limit: Int32 = isBehind ? 20 : isIdle ? Self.idleMilliseconds : .max
            poller.wait(waker, min(limit, millisecondsToSleep))
            if isIdle, CurlClock.now - commons.now >= UInt64(Self.idleMilliseconds) * 1_000_000 {
                commons.pool.empty()
                commons.usesPool = false
            }
        }

        func attend(to task: CurlDataTask) {
            let (order, wishes) = task.order()
            if case .start(let request) = order { return admit(task, request, wishes) }
            guard let transfer = active[ObjectIdentifier(task)] else {
                return attend(toWaiting: task, order, wishes)
            }
            if wishes.isAny { transfer.apply(wishes) }
            switch order {
            case .start: break
            case .proceed(let isFull):
                if let code = transfer.proceed(isFull: isFull) { return finish(transfer, code) }
                nextCheck = min(nextCheck, transfer.limit)
            case .pause: transfer.pause()
            case .abort: discard(transfer)
            case .drain: if !transfer.drain() { discard(transfer) }
            }
        }

        /// Begins a request.
        ///
        /// - Parameters:
        ///   - start: when it came.
        ///   - idleStart: from when on it has waited for a byte.
        func begin(
            _ task: CurlDataTask, _ request: CurlRequest, _ host: CurlQueue.Host?, since start: UInt64,
            idleSince idleStart: UInt64
        ) {
            guard maySend else {
                if let host { queue.leave(host) }
                release(request)
                return task.fail(.refused(.cancelled, "the data source was shut down"))
            }
            guard let transfer = idle.popLast() ?? CurlTransfer(commons) else {
                if let host { queue.leave(host) }
                return task.fail(.refused(.unknown, "libcurl is out of memory"))
            }
            transfer.host = host
            let failure = transfer.start(task, request, since: start, idleSince: idleStart)
            if let failure = failure ?? add(transfer) {
                leaveHost(transfer)
                release(request)
                transfer.clear()
                return task.fail(failure)
            }
            active[ObjectIdentifier(task)] = transfer
            nextCheck = min(nextCheck, transfer.limit)
        }

        /// Gives a request to libcurl; returns why it can't be sent.
        private func add(_ transfer: CurlTransfer) -> CurlFailure? {
            let code = swallow_curl_multi_add(multi, transfer.handle.easy)
            return code == 0 ? nil : .refused(.unknown, "libcurl takes no request: \(code)")
        }

        /// Hands on the bytes that have come for receivers.
        private func giveParts() {
            if commons.streaming.isEmpty { return }
            for transfer in commons.streaming { transfer.deliver() }
            commons.streaming.removeAll(keepingCapacity: true)
        }

        /// Continues the transfers that stopped unpacking to let others run.
        private func unpackMore() {
            if commons.yielding.isEmpty { return }
            let yielding = commons.yielding
            commons.yielding.removeAll(keepingCapacity: true)
            for transfer in yielding {
                if let code = transfer.proceedUnpacking() { finish(transfer, code) }
                nextCheck = min(nextCheck, transfer.limit)
            }
        }

        private func finishEnded() {
            var code: Int32 = 0
            // All of them first: libcurl looks through the messages that are left whenever a handle is taken out.
            while let easy = swallow_curl_multi_next_ended(multi, &code) {
                guard let context = swallow_curl_get_pointer(easy, CurlInfo.privateData) else { continue }
                // `active` keeps the transfer alive for as long as libcurl has its handle.
                ended.append((Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue(), code))
            }
            for (transfer, code) in ended { finish(transfer, code) }
            ended.removeAll(keepingCapacity: true)
        }

        private func finish(_ transfer: CurlTransfer, _ code: Int32) {
            if transfer.isStale, maySend, sendAfresh(transfer) { return }
            guard transfer.ends(with: code) else { return leaveHost(transfer) }
            transfer.givePart()
            let (task, outcome, report) = (transfer.task, transfer.outcome(of: code), transfer.report)
            keep(transfer)
            task?.complete(outcome, report)
        }

        /// Sends a request on a new connection. The handle may be used again, because it received no header field before.
        private func sendAfresh(_ transfer: CurlTransfer) -> Bool {
            swallow_curl_multi_remove(multi, transfer.handle.easy)
            transfer.startAfresh()
            return swallow_curl_multi_add(multi, transfer.handle.easy) == 0
        }

        /// Ends an unfinished transfer, which loses its connection or resets its stream.
        private func discard(_ transfer: CurlTransfer) {
            if transfer.abandonLookup() { return }
            transfer.handle.leave()
            keep(transfer)
        }

        /// Takes a transfer from libcurl, and keeps it for another request if libcurl allows that.
        private func keep(_ transfer: CurlTransfer) {
            swallow_curl_multi_remove(multi, transfer.handle.easy)
            if let task = transfer.task { active[ObjectIdentifier(task)] = nil }
            leaveHost(transfer)
            release(transfer.sending?.request)
            transfer.clear()
            // Connections and TLS sessions are the multi handle's and the share's, so they outlive a transfer.
            if idle.count < Self.idleLimit, !CurlLibrary.keepsFreedFields { idle.append(transfer) }
        }

        /// Gives a transfer's connection to the next request that waits for one.
        private func leaveHost(_ transfer: CurlTransfer) {
            if let host = transfer.host.take() { queue.leave(host) }
        }

        /// Ends the transfers that have taken too long.
        private func checkTimes() {
            let now = commons.now
            for transfer in active.values.filter({ $0.limit <= now }) {
                let (task, failure, head) = (transfer.task, transfer.lateness, transfer.response.completeHead)
                discard(transfer)
                task?.fail(failure, head: head)
            }
            failLate(now)
            nextCheck = queue.limit
            for transfer in active.values { nextCheck = min(nextCheck, transfer.limit) }
            // One check for all limits of the next 5 ms.
            if nextCheck != CurlClock.never { nextCheck = max(nextCheck, now + 5_000_000) }
        }

        private var millisecondsToSleep: Int32 {
            let next = min(nextCheck, commons.cookies?.saveTime ?? CurlClock.never)
            guard next != CurlClock.never else { return 60_000 }
            let now = CurlClock.now
            guard next > now else { return 0 }
            return Int32(min((next - now) / 1_000_000 + 1, 60_000))
        }
    }
#endif
