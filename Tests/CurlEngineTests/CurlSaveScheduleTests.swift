#if os(Linux) && canImport(Glibc)
    import Testing

    @testable import CurlEngine

    @Suite("The times at which cookies are saved")
    struct CurlSaveScheduleTests {
        private let second: UInt64 = 1_000_000_000

        @Test("Cookies that change all the time are saved once each second")
        func changes() {
            var schedule = CurlSaveSchedule()
            var times: [UInt64] = []
            for now in stride(from: 10 * second, to: 13 * second, by: 1_000_000) {
                schedule.noteChange()
                if saves(&schedule, at: now) { times.append(now) }
            }
            #expect(times == [10 * second, 11 * second, 12 * second])
        }

        @Test("A change within a second after a save is saved when the second has passed")
        func later() {
            var schedule = CurlSaveSchedule()
            #expect(schedule.saveTime == CurlClock.never)
            schedule.noteChange()
            #expect(schedule.saveTime == 0)
            #expect(saves(&schedule, at: 5 * second))
            #expect(schedule.saveTime == CurlClock.never)
            schedule.noteChange()
            #expect(schedule.saveTime == 6 * second)
            #expect(!saves(&schedule, at: 6 * second - 1))
            #expect(saves(&schedule, at: 6 * second))
        }

        @Test("Cookies that couldn't be saved are saved again without a change, after a second")
        func failed() {
            var schedule = CurlSaveSchedule()
            #expect(!saves(&schedule, at: 5 * second))
            #expect(saves(&schedule, at: 5 * second, isBehind: true))
            #expect(!saves(&schedule, at: 6 * second - 1, isBehind: true))
            #expect(saves(&schedule, at: 6 * second, isBehind: true))
        }

        private func saves(
            _ schedule: inout CurlSaveSchedule, at now: UInt64, isBehind: Bool = false
        ) -> Bool {
            guard schedule.shouldSave(now, isBehind: isBehind) else { return false }
            _ = schedule.takeChange()
            return true
        }
    }
#endif
