#if DEBUG
    import TestSupport
    import Testing

    @testable import Swallow

    @Suite("A main thread that is blocked")
    struct MainThreadWatchTests {
        /// The looks that are scheduled, each to take place once.
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

        /// Lets the next scheduled look take place, if there is one.
        private func look() {
            let next = taken.withLock { taken in
                defer { taken = min(taken + 1, looks.values.count) }
                return taken
            }
            if next < looks.values.count { looks.values[next]() }
        }

        @Test("is told of in one line, once a handler has waited for 5 s")
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

        @Test("isn't, where handlers arrive, and nothing is looked at when none waits")
        func free() {
            watch.expectArrival()
            watch.noteArrival()
            look()
            #expect(reports.values.isEmpty && looks.values.count == 1)
            watch.expectArrival()
            #expect(looks.values.count == 2)
        }

        @Test("is told of only if none arrives between two looks")
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
