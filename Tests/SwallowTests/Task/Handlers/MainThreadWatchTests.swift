#if DEBUG
    import TestSupport
    import Testing

    @testable import Swallow

    @Suite("A blocked main thread")
    struct MainThreadWatchTests {
        /// The checks that are scheduled. Each one runs once.
        private let looks = Recorder<@Sendable () -> Void>()
        private let taken = Lock(0)
        private let reports = Recorder<String>()
        private let watch: MainThreadWatch

        init() {
            watch = MainThreadWatch { [looks] time, look in
                #expect(time == .seconds(5))
                looks.append(look)
            } report: { [reports] text in
                reports.append(text)
            }
        }

        /// Runs the next scheduled check, if there is one.
        private func look() {
            let next = taken.withLock { taken in
                defer { taken = min(taken + 1, looks.values.count) }
                return taken
            }
            if next < looks.values.count { looks.values[next]() }
        }

        @Test("A blocked main thread is reported in one line after a handler has waited for 5 s")
        func blocked() throws {
            watch.expectArrival()
            watch.expectArrival()
            #expect(reports.values.isEmpty && looks.values.count == 1)
            look()
            for _ in 0..<3 {
                watch.expectArrival()
                look()
            }
            #expect(reports.values.count == 1 && looks.values.count == 1)
            let report = try #require(reports.values.first)
            #expect(report.contains("waited for 5 s") && !report.contains("\n"))
        }

        @Test("Nothing is reported if handlers arrive, and no check is scheduled if none waits")
        func free() {
            watch.expectArrival()
            watch.noteArrival()
            look()
            #expect(reports.values.isEmpty && looks.values.count == 1)
            watch.expectArrival()
            #expect(looks.values.count == 2)
        }

        @Test("A blocked main thread is reported only if no handler arrives between two checks")
        func slow() {
            watch.expectArrival()
            watch.expectArrival()
            watch.noteArrival()
            look()
            #expect(reports.values.isEmpty && looks.values.count == 2)
            watch.noteArrival()
            watch.expectArrival()
            look()
            #expect(reports.values.isEmpty && looks.values.count == 3)
            look()
            #expect(reports.values.count == 1)
        }
    }
#endif
