#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Glibc

    /// What runs on the loop's thread: the only code that calls libcurl.
    final class CurlEventLoop {
        private let inbox: CurlInbox
        private let completions: CurlWorkers
        private let multi: UnsafeMutableRawPointer
        private let poller: CurlPoller
        private var arrived: [CurlInbox.Item] = []
        private var active: [ObjectIdentifier: CurlTransfer] = [:]
        /// Transfers that have ended, their handles set up for the next ones.
        private var idle: [CurlTransfer] = []
        /// Those that libcurl says have ended, for a moment.
        private var ended: [(CurlTransfer, Int32)] = []
        private var queue: CurlQueue
        private let commons: CurlCommons
        private let cookiesNotSaved: (@Sendable (any Error) -> Void)?
        /// Whether the latest attempt to save cookies failed.
        private var hasUnsavedCookies = false
        /// When to look for transfers that have taken too long: no later than the first of them.
        private var nextCheck = CurlClock.never

        private static let idleLimit = 128
        private static let idleMilliseconds: Int32 = 2000

        init(_ inbox: CurlInbox, _ configuration: CurlDataSource.Configuration, _ completions: CurlWorkers) {
            self.inbox = inbox
            self.completions = completions
            multi = inbox.multi.handle
            poller = CurlPoller(multi)
            commons = CurlCommons(configuration, poller)
            queue = CurlQueue(configuration)
            cookiesNotSaved = configuration.cookiesNotSaved
            let connections = max(0, configuration.connections)
            let perHost = max(0, configuration.connectionsPerHost)
            _ = swallow_curl_multi_set_long(multi, CurlMultiOption.connections, connections)
            _ = swallow_curl_multi_set_long(multi, CurlMultiOption.connectionsPerHost, perHost)
            if connections > 0 {
                _ = swallow_curl_multi_set_long(multi, CurlMultiOption.idleConnections, connections)
            }
        }

        /// Runs until the inbox is closed, then gives everything back; to be called once.
        func run() {
            blockBrokenPipeSignals()
            inbox.begin()
            while inbox.take(&arrived) {
                commons.now = CurlClock.now
                for item in arrived { attend(to: item) }
                arrived.removeAll(keepingCapacity: true)
                unpackMore()
                poller.act()
                giveParts()
                finishEnded()
                if commons.now >= nextCheck { checkTimes() }
                startWaiting()
                let isBehind = completions.help(commons.now)
                if commons.yielding.isEmpty, let waker = inbox.sleep() {
                    sleep(waker, isBehind ? 20 : .max)
                } else {
                    // Others may add to it all the time.
                    poller.look()
                }
            }
            // Tasks that aren't over hold the loop, so those left were cancelled; or the process is about to end.
            for case .visit(let visit) in arrived { visit(commons.cookies) }
            arrived = []
            for transfer in Array(active.values) { discard(transfer) }
            (commons.yielding, commons.streaming, idle) = ([], [], [])
            commons.pool.empty()
            saveCookies()
            swallow_curl_multi_cleanup(multi)
        }

        /// Older versions let OpenSSL write to a socket whose peer has left.
        private func blockBrokenPipeSignals() {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
        }

        /// Waits for something to do. A loop that stays idle keeps no memory.
        private func sleep(_ waker: Int32, _ limit: Int32) {
            if active.isEmpty { saveCookies() }
            let isIdle = active.isEmpty && !commons.pool.isEmpty
            let start = commons.now
            let limit = min(limit, millisecondsToSleep, isIdle ? Self.idleMilliseconds : .max)
            poller.wait(waker, limit)
            if isIdle, CurlClock.now - start >= UInt64(Self.idleMilliseconds) * 1_000_000 {
                commons.pool.empty()
            }
        }

        private func saveCookies() {
            do {
                try commons.cookies?.save()
                hasUnsavedCookies = false
            } catch {
                if !hasUnsavedCookies { cookiesNotSaved?(error) }
                hasUnsavedCookies = true
            }
        }

        private func attend(to item: CurlInbox.Item) {
            switch item {
            case .task(let task): attend(to: task)
            case .visit(let visit): visit(commons.cookies)
            }
        }

        private func attend(to task: CurlDataTask) {
            let id = ObjectIdentifier(task)
            let (order, wishes) = task.order()
            if wishes.isAny { active[id]?.apply(wishes) }
            switch order {
            case .start(let request): admit(task, request, wishes)
            case .proceed(let isFull):
                guard let transfer = active[id] else { break }
                let code = transfer.proceed(isFull: isFull)
                if code != 0 || transfer.isOver { return finish(transfer, code) }
                nextCheck = min(nextCheck, transfer.limit)
            case .pause: active[id]?.pause()
            case .abort:
                guard let transfer = active[id] else { return queue.remove(task) }
                if !transfer.abandonsLookUp() { discard(transfer) }
            case .drain:
                guard let transfer = active[id] else { return queue.remove(task) }
                if !transfer.drain() || transfer.isOver { discard(transfer) }
            }
        }

        /// Begins a request, or has it wait for a connection.
        private func admit(_ task: CurlDataTask, _ request: CurlRequest, _ wishes: CurlDataTask.Wishes) {
            let host = queue.host(of: request)
            if let host, !queue.enter(host) {
                let limit = CurlClock.moment(
                    commons.now, after: commons.options.idleLimit ?? request.idleLimit)
                queue.add(.init(task: task, request: request, host: host, start: commons.now, limit: limit))
                nextCheck = min(nextCheck, limit)
            } else {
                begin(task, request, host, commons.now)
                active[ObjectIdentifier(task)]?.apply(wishes)
            }
        }

        /// Begins the requests for which there are connections now.
        private func startWaiting() {
            while let next = queue.take() {
                begin(next.task, next.request, next.host, next.start)
                // What was wanted of it meanwhile.
                attend(to: next.task)
            }
        }

        /// - Parameter start: when the request came.
        private func begin(
            _ task: CurlDataTask, _ request: CurlRequest, _ host: CurlQueue.Host?, _ start: UInt64
        ) {
            if let failure = tryToBegin(task, request, host, start) {
                if let host { queue.leave(host) }
                task.fail(failure)
            }
        }

        /// Begins a request; returns why it can't be sent.
        private func tryToBegin(
            _ task: CurlDataTask, _ request: CurlRequest, _ host: CurlQueue.Host?, _ start: UInt64
        ) -> CurlFailure? {
            guard let transfer = idle.popLast() ?? CurlTransfer(commons) else {
                return .unknown("libcurl is out of memory")
            }
            if let problem = transfer.start(task, request, since: start) {
                transfer.clear()
                return problem
            }
            let code = swallow_curl_multi_add(multi, transfer.easy)
            guard code == 0 else {
                transfer.clear()
                return .unknown("libcurl takes no request: \(code)")
            }
            transfer.host = host
            active[ObjectIdentifier(task)] = transfer
            nextCheck = min(nextCheck, transfer.limit)
            return nil
        }

        /// Hands on the bytes that have come for receivers.
        private func giveParts() {
            guard !commons.streaming.isEmpty else { return }
            for transfer in commons.streaming {
                transfer.isListed = false
                transfer.tellProgress()
                transfer.givePart()
            }
            commons.streaming.removeAll(keepingCapacity: true)
        }

        /// Continues the transfers that stopped unpacking to let others run.
        private func unpackMore() {
            guard !commons.yielding.isEmpty else { return }
            let yielding = commons.yielding
            commons.yielding.removeAll(keepingCapacity: true)
            for transfer in yielding where transfer.pauses.isYielding {
                let code = transfer.proceedUnpacking()
                if code != 0 || transfer.isOver { finish(transfer, code) }
                nextCheck = min(nextCheck, transfer.limit)
            }
        }

        private func finishEnded() {
            var code: Int32 = 0
            // All of them first: libcurl looks through the messages that are left whenever a handle is taken out.
            while let easy = swallow_curl_multi_next_ended(multi, &code) {
                guard let context = swallow_curl_get_pointer(easy, CurlInfo.privateData) else { continue }
                // `active` holds the transfer: a handle is in the multi handle for as long as it is in there.
                ended.append((Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue(), code))
            }
            for (transfer, code) in ended { finish(transfer, code) }
            ended.removeAll(keepingCapacity: true)
        }

        private func finish(_ transfer: CurlTransfer, _ code: Int32) {
            if transfer.isStale, sendAfresh(transfer) { return }
            if code == 0, transfer.isHolding {
                // The rest is unpacked as fast as it is wanted.
                transfer.isOver = true
                leaveHost(transfer)
                return
            }
            transfer.givePart()
            let outcome = transfer.outcome(of: code)
            let (task, report) = (transfer.task, CurlReport(transfer))
            keep(transfer)
            task?.complete(outcome, report)
        }

        /// Sends a request on a new connection.
        private func sendAfresh(_ transfer: CurlTransfer) -> Bool {
            swallow_curl_multi_remove(multi, transfer.easy)
            transfer.startAfresh()
            return swallow_curl_multi_add(multi, transfer.easy) == 0
        }

        /// Ends an unfinished transfer, which loses its connection or resets its stream.
        private func discard(_ transfer: CurlTransfer) {
            transfer.leave()
            keep(transfer)
        }

        /// Takes a transfer out, and keeps it for another.
        private func keep(_ transfer: CurlTransfer) {
            swallow_curl_multi_remove(multi, transfer.easy)
            if let task = transfer.task { active[ObjectIdentifier(task)] = nil }
            leaveHost(transfer)
            transfer.clear()
            if idle.count < Self.idleLimit { idle.append(transfer) }
        }

        /// Gives a transfer's connection to the next request that waits for one.
        private func leaveHost(_ transfer: CurlTransfer) {
            if let host = transfer.host.take() { queue.leave(host) }
        }

        /// Ends the transfers that have taken too long.
        private func checkTimes() {
            let now = commons.now
            for transfer in active.values.filter({ $0.limit <= now }) {
                let (task, failure, head) = (transfer.task, transfer.lateness, transfer.completeHead)
                if !transfer.abandonsLookUp() { discard(transfer) }
                task?.fail(failure, head: head)
            }
            for waiting in queue.takeLate(now) {
                waiting.task.fail(.refused(.timedOut, "no connection to its host came free"))
            }
            nextCheck = queue.limit
            for transfer in active.values { nextCheck = min(nextCheck, transfer.limit) }
            // Many requests have many limits: one look for all of the next milliseconds.
            if nextCheck != CurlClock.never { nextCheck = max(nextCheck, now + 5_000_000) }
        }

        private var millisecondsToSleep: Int32 {
            guard nextCheck != CurlClock.never else { return 60_000 }
            let now = CurlClock.now
            guard nextCheck > now else { return 0 }
            return Int32(min((nextCheck - now) / 1_000_000 + 1, 60_000))
        }
    }
#endif
