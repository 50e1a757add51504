#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import Glibc
    import SwallowLock

    /// The commands for an event loop, and the loop's thread, which starts when it is first needed.
    final class CurlInbox: Sendable {
        enum Item: Sendable {
            case command(EngineTransfer.Command, EngineTransfer)
            case visit(@Sendable (CurlCookieJar?) -> Void)
            case stopSending
        }

        private enum Phase: Comparable { case unstarted, running, closed, ended }

        private struct State: Sendable {
            var items: [Item] = []
            var phase = Phase.unstarted
            var isAsleep = false
            /// The descriptor that wakes the loop. Negative until it is created, or if no descriptor is left.
            var waker: Int32 = -1
            var watchers: [@Sendable () -> Void] = []
        }

        // Unchecked: only the loop's thread uses the pointer. If it never starts, the pointer is at most freed.
        struct Multi: @unchecked Sendable {
            let handle: UnsafeMutableRawPointer
        }

        let multi: Multi
        private let configuration: EngineConfiguration
        private let startThread: EngineLoop.StartThread
        private let state = Lock(State())

        init?(_ configuration: EngineConfiguration, _ startThread: @escaping EngineLoop.StartThread) {
            guard let handle = swallow_curl_multi_init() else { return nil }
            multi = Multi(handle: handle)
            (self.configuration, self.startThread) = (configuration, startThread)
        }

        deinit {
            let waker = state.withLock { $0.waker }
            if waker >= 0 { Glibc.close(waker) }
        }

        /// Adds an item, and starts the loop's thread if necessary. Returns `false` if the inbox is closed.
        func add(_ item: Item) throws -> Bool {
            let (isOpen, waker) = try state.withLock { state -> (Bool, Int32?) in
                if state.phase == .unstarted { try start(&state) }
                guard state.phase == .running else { return (false, nil) }
                return (true, Self.append(item, to: &state))
            }
            wakeUp(waker)
            return isOpen
        }

        /// Adds an item, and doesn't start the loop's thread.
        func addForLater(_ item: Item) {
            wakeUp(state.withLock { $0.phase < .closed ? Self.append(item, to: &$0) : nil })
        }

        private static func append(_ item: Item, to state: inout State) -> Int32? {
            state.items.append(item)
            return takeWaker(&state)
        }

        private func start(_ state: inout State) throws {
            guard CurlLoops.add(self) else { return state.phase = .ended }
            do {
                try startThread {
                    Thread.current.name = "Swallow.curl"
                    CurlEventLoop(self, self.configuration).run()
                    CurlLoops.remove(self)
                    self.end()
                }
            } catch {
                CurlLoops.remove(self)
                throw error
            }
            state.phase = .running
        }

        /// Closes the inbox, so that the loop ends. A loop that has no thread ends immediately.
        func shutDown() {
            let (isUnstarted, waker) = state.withLock { state in
                let isUnstarted = state.phase == .unstarted
                state.phase = max(state.phase, .closed)
                return (isUnstarted, Self.takeWaker(&state))
            }
            wakeUp(waker)
            if isUnstarted {
                swallow_curl_multi_cleanup(multi.handle)
                end()
            }
        }

        /// Call this function without the lock, because the woken thread acquires the lock immediately.
        private func wakeUp(_ waker: Int32?) {
            var one: UInt64 = 1
            if let waker { _ = write(waker, &one, 8) }
        }

        private static func takeWaker(_ state: inout State) -> Int32? {
            guard state.isAsleep else { return nil }
            state.isAsleep = false
            return state.waker >= 0 ? state.waker : nil
        }

        /// Waits for the end of the loop, unless the caller is on the loop's thread.
        func waitForEnd(until time: DispatchTime) {
            if LoopThread.current?.inbox === self { return }
            let ended = DispatchSemaphore(value: 0)
            whenEnded { ended.signal() }
            _ = ended.wait(timeout: time)
        }

        func whenEnded(_ watcher: @escaping @Sendable () -> Void) {
            let hasEnded = state.withLock { state in
                if state.phase != .ended { state.watchers.append(watcher) }
                return state.phase == .ended
            }
            if hasEnded { watcher() }
        }

        func end() {
            let watchers = state.withLock { state in
                state.phase = .ended
                defer { state.watchers = [] }
                return state.watchers
            }
            for watcher in watchers { watcher() }
        }

        func take(_ items: inout [Item]) -> Bool {
            state.withLock { state in
                state.isAsleep = false
                swap(&state.items, &items)
                return state.phase < .closed
            }
        }

        /// Returns the descriptor that wakes the loop. `nil` if it must not sleep, and negative if it has to poll.
        func sleep() -> Int32? {
            state.withLock { state in
                state.isAsleep = state.items.isEmpty && state.phase < .closed
                guard state.isAsleep else { return nil }
                if state.waker < 0 { state.waker = swallow_make_waker() }
                return state.waker
            }
        }
    }
#endif
