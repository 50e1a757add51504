#if DEBUG
    import Dispatch

    /// Warns once if a handler waits for a blocked main thread, which is common in command-line programs.
    final class MainThreadWatch: Sendable {
        typealias Schedule = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

        private struct State: Sendable {
            var expected = 0
            var arrived = 0
            var isLooking = false
        }

        static let standard = MainThreadWatch { time, look in
            DispatchQueue.utility.asyncAfter(deadline: .now() + time.seconds, execute: look)
        } report: { text in
            LineWriter.standardError.write(text)
        }

        static let arrivalTimeout = Duration.seconds(5)

        private let state = Lock(State())
        private let schedule: Schedule
        private let report: @Sendable (String) -> Void

        init(schedule: @escaping Schedule, report: @escaping @Sendable (String) -> Void) {
            self.schedule = schedule
            self.report = report
        }

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
            schedule(Self.arrivalTimeout) { self.look(back: arrived) }
        }

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
