#if os(Linux)
    internal import CurlBinding
    import Foundation
    import FoundationNetworking
    import Glibc

    /// A thread with an event loop, for as long as anybody holds this.
    ///
    /// Data sources and exchanges hold it, and the loop holds the exchanges that are under way; so when it goes away,
    /// none is left.
    final class CurlLoop: Sendable {
        let configuration: CurlDataSource.Configuration
        /// Where exchanges go on when the loop is done with them. A concurrent queue of their own took 2 to 8 %
        /// more CPU time for 2 KB.
        let completions = DispatchQueue.global()
        private let inbox: CurlInbox?
        private let ended = DispatchSemaphore(value: 0)

        init(_ configuration: CurlDataSource.Configuration) {
            self.configuration = configuration
            guard CurlDataSource.isAvailable, let inbox = CurlInbox() else {
                inbox = nil
                return
            }
            self.inbox = inbox
            let thread = Thread { [ended] in
                CurlEventLoop(inbox, configuration).run()
                ended.signal()
            }
            thread.name = "Swallow.curl"
            thread.start()
        }

        deinit {
            guard let inbox else { return }
            // The loop's own thread may be the last to let go of an exchange; it can't wait for itself.
            if inbox.close() { ended.wait() }
        }

        /// Has the loop look after an exchange whose state has changed; says whether there is a loop.
        func attend(to exchange: CurlDataTask) -> Bool {
            inbox?.add(exchange) ?? false
        }
    }

    extension CurlLoop: RelaySource {
        var judge: any RelayJudge { configuration.redirectPolicy }
        var timeout: Duration? { configuration.totalTimeout }

        func dataTask(with request: URLRequest, for attempt: RelayAttempt) -> any DataTask {
            CurlDataTask(request, self, attempt)
        }
    }

    /// What other threads have for the event loop.
    final class CurlInbox: Sendable {
        private struct State: Sendable {
            var exchanges: [CurlDataTask] = []
            var isAsleep = false
            var isClosed = false
            var thread: pthread_t?
        }

        /// A multi handle. Only the loop's thread uses it, but for `curl_multi_wakeup`, which is made for other
        /// threads, and is called under the lock while the loop sleeps or is about to.
        // Unchecked: see above; the loop frees it when it is closed, and closed inboxes wake nobody.
        struct Multi: @unchecked Sendable {
            let handle: UnsafeMutableRawPointer
        }

        let multi: Multi
        private let state = Lock(State())

        init?() {
            guard let handle = swallow_curl_multi_init() else { return nil }
            multi = Multi(handle: handle)
        }

        /// Adds an exchange, and wakes the loop if it sleeps.
        func add(_ exchange: CurlDataTask) -> Bool {
            state.withLock { state in
                if state.isClosed { return false }
                state.exchanges.append(exchange)
                wakeUp(&state)
                return true
            }
        }

        /// Has the loop end; says whether the caller isn't the loop's own thread.
        func close() -> Bool {
            state.withLock { state in
                state.isClosed = true
                wakeUp(&state)
                return state.thread.map { pthread_equal($0, pthread_self()) == 0 } ?? true
            }
        }

        private func wakeUp(_ state: inout State) {
            guard state.isAsleep else { return }
            state.isAsleep = false
            _ = swallow_curl_multi_wakeup(multi.handle)
        }

        // MARK: - The loop's side

        func begin() {
            state.withLock { $0.thread = pthread_self() }
        }

        /// Takes what has come, in exchange for an empty array; says whether to go on.
        func take(_ exchanges: inout [CurlDataTask]) -> Bool {
            state.withLock { state in
                state.isAsleep = false
                swap(&state.exchanges, &exchanges)
                return !state.isClosed
            }
        }

        /// Whether the loop may sleep: from here on, who adds something wakes it.
        func sleep() -> Bool {
            state.withLock { state in
                state.isAsleep = state.exchanges.isEmpty && !state.isClosed
                return state.isAsleep
            }
        }
    }
#endif
