#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import Glibc
    import SwallowLock

    /// Takes items for the event loop from other threads, and wakes it.
    final class CurlInbox: Sendable {
        enum Item: Sendable {
            case command(EngineTransfer.Command, EngineTransfer)
            case visit(@Sendable (CurlCookieJar?) -> Void)
            /// The workers fall behind with their jobs.
            case help
        }

        private struct State: Sendable {
            var items: [Item] = []
            var isAsleep = false
            var isClosed = false
            /// Whether requests may still be sent.
            var maySend = true
            var thread: pthread_t?
            /// The descriptor that wakes the loop; negative while the process has none left.
            var waker: Int32 = -1
            var hasEnded = false
            /// Called when the loop has ended.
            var watchers: [@Sendable () -> Void] = []
        }

        /// A multi handle. The loop's thread uses it and frees it.
        // Unchecked: the loop's thread starts after the pointer was made, and no other thread uses it from then on. A
        // loop without a thread only frees it.
        struct Multi: @unchecked Sendable {
            let handle: UnsafeMutableRawPointer
        }

        let multi: Multi
        private let state = Lock(State())
        private let ended = DispatchSemaphore(value: 0)

        init?() {
            guard let handle = swallow_curl_multi_init() else { return nil }
            multi = Multi(handle: handle)
        }

        deinit {
            let waker = state.withLock { $0.waker }
            if waker >= 0 { Glibc.close(waker) }
        }

        /// Adds something, and wakes the loop if it sleeps.
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

        /// Ends the loop; says whether the caller isn't the loop's own thread.
        func close() -> Bool {
            let (isOther, waker) = state.withLock { state in
                state.isClosed = true
                let isOther = state.thread.map { pthread_equal($0, pthread_self()) == 0 } ?? true
                return (isOther, Self.takeWaker(&state))
            }
            wakeUp(waker)
            return isOther
        }

        /// Wakes the loop. Called without the lock, which the loop's thread takes at once.
        private func wakeUp(_ waker: Int32?) {
            var one: UInt64 = 1
            if let waker { _ = write(waker, &one, 8) }
        }

        /// Marks the loop as awake, and returns the descriptor to wake it with; nil if it is awake already or has none.
        private static func takeWaker(_ state: inout State) -> Int32? {
            guard state.isAsleep else { return nil }
            state.isAsleep = false
            return state.waker >= 0 ? state.waker : nil
        }

        /// Waits until the loop has ended; any number of threads may.
        func waitForEnd(until time: DispatchTime) {
            if ended.wait(timeout: time) == .success { ended.signal() }
        }

        /// Calls a closure once the loop has ended.
        func whenEnded(_ watcher: @escaping @Sendable () -> Void) {
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.watchers.append(watcher) }
                return state.hasEnded
            }
            if hasEnded { watcher() }
        }

        // MARK: - The loop's side

        func begin() {
            state.withLock { $0.thread = pthread_self() }
        }

        func end() {
            let watchers = state.withLock { state in
                state.hasEnded = true
                defer { state.watchers = [] }
                return state.watchers
            }
            ended.signal()
            for watcher in watchers { watcher() }
        }

        /// Ends a loop whose thread never started, and never will.
        func endUnstarted() {
            swallow_curl_multi_cleanup(multi.handle)
            end()
        }

        /// Fills an empty array with the items that have come; returns whether the loop goes on.
        func take(_ items: inout [Item], _ maySend: inout Bool) -> Bool {
            state.withLock { state in
                state.isAsleep = false
                swap(&state.items, &items)
                maySend = state.maySend
                return !state.isClosed
            }
        }

        /// Marks the loop as asleep: from here on, `add` and `close` wake it.
        ///
        /// - Returns: the descriptor that wakes the loop; nil if it must not sleep. A negative one wakes no thread, so
        ///   the loop has to look often: the process had no descriptor left. The next call tries again.
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
