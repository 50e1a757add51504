#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import Glibc
    import SwallowLock

    final class CurlInbox: Sendable {
        enum Item: Sendable {
            case command(EngineTransfer.Command, EngineTransfer)
            case visit(@Sendable (CurlCookieJar?) -> Void)
        }

        private struct State: Sendable {
            var items: [Item] = []
            var isAsleep = false
            var isClosed = false
            var maySend = true
            var thread: pthread_t?
            /// The descriptor that wakes the loop. Negative until it is created, or if no descriptor is left.
            var waker: Int32 = -1
            var hasEnded = false
            var watchers: [@Sendable () -> Void] = []
        }

        // Unchecked: only the loop's thread uses the pointer. If that thread never starts, the pointer is only freed.
        struct Multi: @unchecked Sendable {
            let handle: UnsafeMutableRawPointer
        }

        let multi: Multi
        private let state = Lock(State())

        init?() {
            guard let handle = swallow_curl_multi_init() else { return nil }
            multi = Multi(handle: handle)
        }

        deinit {
            let waker = state.withLock { $0.waker }
            if waker >= 0 { Glibc.close(waker) }
        }

        func add(_ item: Item) -> Bool {
            let (isTaken, waker) = state.withLock { state in
                if state.isClosed { return (false, nil as Int32?) }
                state.items.append(item)
                return (true, Self.takeWaker(&state))
            }
            wakeUp(waker)
            return isTaken
        }

        func stopSending() {
            state.withLock { $0.maySend = false }
        }

        /// Stops the loop. Returns whether the caller is on another thread than the loop.
        func close() -> Bool {
            let (isOther, waker) = state.withLock { state in
                state.isClosed = true
                let isOther = state.thread.map { pthread_equal($0, pthread_self()) == 0 } ?? true
                return (isOther, Self.takeWaker(&state))
            }
            wakeUp(waker)
            return isOther
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

        func waitForEnd(until time: DispatchTime) {
            let ended = DispatchSemaphore(value: 0)
            whenEnded { ended.signal() }
            _ = ended.wait(timeout: time)
        }

        func whenEnded(_ watcher: @escaping @Sendable () -> Void) {
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.watchers.append(watcher) }
                return state.hasEnded
            }
            if hasEnded { watcher() }
        }

        func begin() {
            state.withLock { $0.thread = pthread_self() }
        }

        func end() {
            let watchers = state.withLock { state in
                state.hasEnded = true
                defer { state.watchers = [] }
                return state.watchers
            }
            for watcher in watchers { watcher() }
        }

        func endUnstarted() {
            swallow_curl_multi_cleanup(multi.handle)
            end()
        }

        func take(_ items: inout [Item], _ maySend: inout Bool) -> Bool {
            state.withLock { state in
                state.isAsleep = false
                swap(&state.items, &items)
                maySend = state.maySend
                return !state.isClosed
            }
        }

        /// Returns the descriptor that wakes the loop. `nil` if it must not sleep, and negative if it has to poll.
        func sleep() -> Int32? {
            state.withLock { state in
                state.isAsleep = state.items.isEmpty && !state.isClosed
                guard state.isAsleep else { return nil }
                if state.waker < 0 { state.waker = swallow_make_waker() }
                return state.waker
            }
        }
    }
#endif
