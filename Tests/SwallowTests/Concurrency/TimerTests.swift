import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The system's clock")
struct TimerTests {
    private let clock = SystemClock()

    @Test("An action runs outside of Swift's thread pool")
    func place() async {
        let isInTask = Recorder<Bool>()
        _ = clock.schedule(after: .milliseconds(1)) {
            isInTask.append(withUnsafeCurrentTask { $0 != nil })
        }
        _ = clock.schedule(after: .zero) { isInTask.append(withUnsafeCurrentTask { $0 != nil }) }
        #expect(await isInTask.first(2) == [false, false])
    }

    @Test("An action that blocks delays no other action")
    func blocking() async {
        let (freed, ends) = (DispatchSemaphore(value: 0), Recorder<String>())
        _ = clock.schedule(after: .zero) {
            let isFreed = freed.wait(timeout: .now() + 60) == .success
            ends.append(isFreed ? "freed" : "stuck")
        }
        // Actions that are due at the same time aren't delayed either.
        for _ in 0..<3 { _ = clock.schedule(after: .zero) { ends.append("free") } }
        _ = clock.schedule(after: .milliseconds(1)) {
            ends.append("free")
            freed.signal()
        }
        #expect(await ends.first(5).filter { $0 == "stuck" } == [])
    }

    @Test("A cancelled action doesn't run, and all others do")
    func cancelling() async {
        let ran = Recorder<Int>()
        // The delay is long enough that no action runs before the cancel.
        let jobs = [3, 1, 2].map { number in
            clock.schedule(after: .milliseconds(10_000 + 20 * number)) { ran.append(number) }
        }
        jobs[1].cancel()
        #expect(await Set(ran.first(2)) == [2, 3])
        jobs[0].cancel()
        #expect(ran.values.count == 2)
    }

    @Test("A cancelled action is released immediately")
    func release() async {
        final class Thing: Sendable {}
        weak let weakThing: Thing?
        do {
            let thing = Thing()
            weakThing = thing
            clock.schedule(after: .seconds(1e9)) { withExtendedLifetime(thing) {} }.cancel()
        }
        #expect(weakThing == nil)
    }

    @Test(
        "Any duration is a valid delay",
        arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .century, .nanoseconds(1)])
    func delays(delay: Duration) async {
        let isDone = Recorder<Void>()
        let work = clock.schedule(after: delay) { isDone.append(()) }
        if delay < .seconds(1) { _ = await isDone.first(1) }
        work.cancel()
        #expect(isDone.values.count == (delay < .seconds(1) ? 1 : 0))
    }

    #if compiler(>=6.2) && (os(Linux) || os(macOS))
        @Test("Timeouts fire even if the app's code blocks Swift's thread pool")
        func blockedPool() async {
            await #expect(processExitsWith: .success) { BlockedPool.run() }
        }
    #endif
}

/// Sends twenty requests whose authenticators block until all requests have completed.
private enum BlockedPool {
    private struct Blocking: Authenticator {
        let gate: DispatchSemaphore

        func authorize(_ request: inout URLRequest) { _ = gate.wait(timeout: .now() + 300) }
        func refresh(after response: HTTPURLResponse, to request: URLRequest) {}
    }

    static func run() {
        let (gate, ended, queue) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchQueue(label: "ends")
        )
        let late = Lock(0)
        var service = WebService.test(ManualDataSource(answersInResume: { $0.answer() }))
        service.configure {
            $0.authenticator = Blocking(gate: gate)
            $0.timeout = .milliseconds(50)
        }
        for _ in 0..<20 {
            service.GET("/").responseCompleted(queue) { result in
                if result.failure?.reason != .timedOut { late.withLock { $0 += 1 } }
                ended.signal()
            }
        }
        for _ in 0..<20 where ended.wait(timeout: .now() + 300) == .timedOut { late.withLock { $0 += 1 } }
        exit(late.withLock { $0 } == 0 ? 0 : 1)
    }
}

@Suite("The schedule of timers")
struct TimerScheduleTests {
    @Test("Actions run in the order of their moments, and actions of the same moment in the order added")
    func order() {
        let taken = Recorder<String>()
        var (schedule, expected, generator) = (
            TimerSchedule(), [(moment: UInt64, name: String)](), SystemRandomNumberGenerator()
        )
        for number in 0..<1000 {
            let moment = UInt64.random(in: 0..<100, using: &generator)
            let id = schedule.add({ taken.append("\(number)") }, at: moment)
            if number % 3 == 0 {
                let removed = [schedule.remove(id), schedule.remove(id)]
                #expect(removed.map { $0 == nil } == [false, true])
            } else {
                expected.append((moment, "\(number)"))
            }
        }
        for now in stride(from: UInt64(9), through: 99, by: 10) {
            for action in schedule.takeExpired(now) { action() }
            #expect(taken.values.count == expected.filter { $0.moment <= now }.count)
        }
        // The names grow, so the sort keeps the order of actions with equal times.
        let sorted = expected.enumerated().sorted { ($0.1.moment, $0.0) < ($1.1.moment, $1.0) }
        #expect(taken.values == sorted.map(\.element.name))
        #expect(schedule.next == nil)
    }

    @Test("Timers that are removed long before their time use no memory")
    func room() {
        var schedule = TimerSchedule()
        for moment in 0..<10_000 { _ = schedule.remove(schedule.add({}, at: UInt64(moment))) }
        #expect(schedule.size <= 65)
    }
}

@Suite("Durations of seconds")
struct DurationTests {
    @Test(
        "Seconds that a duration can't represent are clamped to a hundred years",
        arguments: [
            (1.5, Duration.seconds(1.5)), (-2, .seconds(-2)), (.infinity, .century), (1e300, .century),
            (-.infinity, .century * -1), (.nan, .zero), (9.3e18, .century),
            (.greatestFiniteMagnitude, .century),
        ])
    func clamping(seconds: Double, duration: Duration) {
        #expect(Duration(clamping: seconds) == duration)
    }

    @Test(
        "A backoff with any values doesn't trap",
        arguments: [0, 1, .infinity, .nan, -1, 1e300] as [Double],
        [Duration.zero, .seconds(Int64.max), .seconds(Int64.min), .seconds(1)])
    func backoff(factor: Double, time: Duration) {
        for maximum in [Duration.seconds(Int64.max), .zero, .seconds(Int64.min), .seconds(20)] {
            let backoff = RetryPolicy.Backoff(first: time, factor: factor, maximum: maximum)
            for retries in [0, 1, 2, 1000] {
                let delay = backoff.delay(after: retries)
                #expect(delay >= .zero && delay <= max(.zero, min(maximum, .century)))
            }
        }
    }

    @Test(
        "A clock with any date doesn't trap",
        arguments: [.infinity, -.infinity, .nan, 1e300] as [Double])
    func clock(seconds: Double) async {
        let now = Lock(Date(timeIntervalSince1970: 0))
        let clock = LeapingClock(now: now, then: Date(timeIntervalSince1970: seconds))
        let events = Recorder<LogEvent>()
        let source = ScriptedDataSource(
            .status(503, ["Retry-After": "Sun, 06-Nov-94 08:49:37 GMT"]), .status(200, body: "[1]"))
        var service = WebService.scripted(source, clock) {
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .zero)
            $0.timeout = .seconds(5)
            $0.pipeline[.parsing].cacheUsing(MemoryCache())
        }
        service.log = { events.append($0) }
        _ = await service.GET("/").result
        for event in events.values { #expect(!event.description.isEmpty) }
        #expect(HTTPDate.date("Sunday, 06-Nov-94 08:49:37 GMT", now: clock.then) != nil)
        var progress = TransferProgress()
        progress.bytesPerSecond = seconds
        progress.expectedToReceive = .max
        #expect(progress.timeLeft.map { $0 >= .zero } ?? true)
    }
}

/// A clock that jumps to another time after it is first read.
private struct LeapingClock: ServiceClock {
    private let date: Lock<Date>
    let then: Date

    init(now date: Lock<Date>, then: Date) {
        self.date = date
        self.then = then
    }

    var now: Date {
        date.withLock { date in
            defer { date = then }
            return date
        }
    }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledWork {
        if delay <= .zero { DispatchQueue.utility.async(execute: action) }
        return ScheduledWork {}
    }
}
