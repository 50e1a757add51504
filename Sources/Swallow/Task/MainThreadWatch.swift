#if DEBUG
    import Dispatch

    /// Warns once if a handler waits for a blocked main thread, which is common in command-line programs.
    ///
    /// At most one check is scheduled, however many handlers wait.
    final class MainThreadWatch: Sendable {
        typealias Schedule = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

        private struct State: Sendable {
            var expected = 0
            var arrived = 0
            var isLooking = false
        }

        /// The watch of this process.
        static let standard = MainThreadWatch { time, look in
            DispatchQueue.utility.asyncAfter(deadline: .now() + time.seconds, execute: look)
        } report: { text in
            LineWriter.standardError.write(text)
        }

        /// How long a handler may wait before the warning. A main thread that runs is never busy for so long.
        static let patience = Duration.seconds(5)

        private let state = Lock(State())
        private let schedule: Schedule
        private let report: @Sendable (String) -> Void

        init(schedule: @escaping Schedule, report: @escaping @Sendable (String) -> Void) {
            self.schedule = schedule
            self.report = report
        }

        /// Notes that a handler is sent to the main queue, which calls ``noteArrival()``.
        func expectArrival() {
            let (arrived, looks) = state.withLock { state in
                state.expected += 1
                defer { state.isLooking = true }
                return (state.arrived, !state.isLooking)
            }
            if looks { look(after: arrived) }
        }

        func noteArrival() {
            state.withLock { $0.arrived += 1 }
        }

        private func look(after arrived: Int) {
            schedule(Self.patience) { self.look(back: arrived) }
        }

        /// Checks again while handlers wait. Warns and stops for good if none has arrived since the last check.
        private func look(back previous: Int) {
            let (arrived, waits, isBlocked) = state.withLock { state in
                let waits = state.expected > state.arrived
                let isBlocked = waits && state.arrived == previous
                state.isLooking = waits
                return (state.arrived, waits, isBlocked)
            }
            if isBlocked {
                report(
                    "Swallow: a main-actor handler has waited for 5 s because the main thread is blocked. Use await, or pass a queue to the handler."
                )
            } else if waits {
                look(after: arrived)
            }
        }
    }
#endif
