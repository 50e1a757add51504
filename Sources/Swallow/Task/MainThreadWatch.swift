#if DEBUG
    import Dispatch

    /// Says once that something has waited for a main thread that is blocked, as a command-line program's often is.
    ///
    /// One look at a time is scheduled, however many wait.
    final class MainThreadWatch: Sendable {
        typealias Schedule = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

        private struct State: Sendable {
            var expected = 0
            var arrived = 0
            var isLooking = false
        }

        /// The process's.
        static let standard = MainThreadWatch { time, look in
            DispatchQueue.utility.asyncAfter(deadline: .now() + time.seconds, execute: look)
        } report: { text in
            LineWriter.standardError.write(text)
        }

        /// How long waiting may take: no main thread that is alive has so much to do.
        static let patience = Duration.seconds(5)

        private let state = Lock(State())
        private let schedule: Schedule
        private let report: @Sendable (String) -> Void

        init(schedule: @escaping Schedule, report: @escaping @Sendable (String) -> Void) {
            self.schedule = schedule
            self.report = report
        }

        /// Notes that a handler goes to the main queue; ``noteArrival()`` follows there.
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

        /// Goes on looking while some wait, and stops for good where none has arrived since the last look.
        private func look(back previous: Int) {
            let (arrived, waits, isBlocked) = state.withLock { state in
                let waits = state.expected > state.arrived
                let isBlocked = waits && state.arrived == previous
                state.isLooking = waits
                return (state.arrived, waits, isBlocked)
            }
            if isBlocked {
                report(
                    "Swallow: a main-actor handler has waited for 5 s, since the main thread is blocked; await, or name a queue"
                )
            } else if waits {
                look(after: arrived)
            }
        }
    }
#endif
