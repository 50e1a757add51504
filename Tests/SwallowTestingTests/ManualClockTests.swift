import Foundation
import Swallow
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

@Suite("A manual clock")
struct ManualClockTests {
    private let clock = ManualClock()
    private let ran = Recorder<String>()

    private func note(_ text: String, after delay: Duration) -> ScheduledWork {
        clock.schedule(after: delay) { [ran, clock, start = clock.now] in
            ran.append("\(text) at \(Int(clock.now.timeIntervalSince(start)))")
        }
    }

    @Test("The time doesn't change by itself, and starts at the given date")
    func still() {
        let date = Date(timeIntervalSince1970: 1)
        #expect(ManualClock(now: date).now == date)
        #expect(clock.now == ManualClock().now)
    }

    @Test("advance runs due actions in the order of their times, at these times, before it returns")
    func order() {
        _ = note("late", after: .seconds(3))
        _ = note("first", after: .seconds(1))
        _ = note("second", after: .seconds(1))
        _ = note("too late", after: .seconds(5))
        let start = clock.now
        clock.advance(by: .seconds(4))
        #expect(ran.values == ["first at 1", "second at 1", "late at 3"])
        #expect(clock.now == start.addingTimeInterval(4) && clock.pending == 1)
    }

    @Test("Even a delay of a nanosecond moves the time forward")
    func leastDelay() {
        let (start, seen) = (clock.now, Recorder<Date>())
        _ = clock.schedule(after: .nanoseconds(1)) { [clock] in seen.append(clock.now) }
        clock.advance(by: .seconds(1))
        #expect(seen.values.map { $0 > start } == [true])
    }

    @Test("A stream times out, however its dates are rounded", arguments: [10, 20, 50, 300, 900])
    func streamTimeout(milliseconds: Int) async throws {
        let (stub, gate) = (StubDataSource(), Gate())
        stub.stub(.GET, "/", .parts([Data("a".utf8), Data("b".utf8)], heldBy: gate))
        var service = WebService(baseURLString: "http://h", dataSource: stub)
        service.clock = clock
        let task = service.GET("/", options: [.timeout(.milliseconds(milliseconds))])
            .responseStream(.utility) { _ in }
        try await gate.arrivals()
        _ = try await task.head
        for _ in 0..<3 { clock.advance(by: .milliseconds(milliseconds)) }
        let result = await task.result
        #expect(throws: ServiceError.self) { try result.get() }
    }

    @Test("advance runs nested actions that are due")
    func nested() {
        _ = clock.schedule(after: .seconds(1)) { [clock, ran] in
            _ = clock.schedule(after: .seconds(1)) { ran.append("nested") }
            _ = clock.schedule(after: .seconds(9)) { ran.append("later") }
        }
        clock.advance(by: .seconds(2))
        #expect(ran.values == ["nested"])
        #expect(clock.pending == 1)
    }

    @Test("A cancelled action never runs, and is released")
    func cancel() {
        let work = note("cancelled", after: .zero)
        #expect(clock.pending == 1)
        work.cancel()
        work.cancel()
        #expect(clock.pending == 0)
        clock.advance(by: .seconds(1))
        #expect(ran.values.isEmpty)
    }

    @Test("An action without a delay or with a negative delay runs at the next advance", arguments: [0, -1])
    func atOnce(seconds: Int) {
        _ = note("now", after: .seconds(seconds))
        #expect(ran.values.isEmpty)
        clock.advance(by: .seconds(seconds))
        #expect(ran.values == ["now at 0"])
    }

    @Test("pending(atLeast:) returns when enough actions are scheduled")
    func awaited() async throws {
        try await clock.pending(atLeast: 0)
        async let two: Void = clock.pending(atLeast: 2)
        let work = note("cancelled", after: .seconds(1))
        try await clock.pending(atLeast: 1)
        work.cancel()
        _ = note("a", after: .seconds(1))
        #expect(clock.pending == 1)
        _ = note("b", after: .seconds(1))
        try await two
        clock.advance(by: .seconds(1))
        #expect(ran.values.count == 2 && clock.pending == 0)
    }

    @Test("A wait for scheduled actions can be cancelled", arguments: [false, true])
    func cancelledAwait(isLate: Bool) async {
        let began = Event()
        let waiting = Task { [clock] in
            if isLate { began.happen() } else { await began.wait() }
            try await clock.pending(atLeast: 1)
        }
        if isLate { await began.wait() }
        waiting.cancel()
        began.happen()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        _ = note("later", after: .seconds(1))
    }

    @Test("If too few actions are scheduled in time, pending(atLeast:) throws an error that lists them")
    func tooLittle() async {
        _ = note("later", after: .seconds(30))
        _ = note("sooner", after: .milliseconds(500))
        let error = await #expect(throws: CheckFailure.self) {
            try await clock.pending(atLeast: 3, within: .milliseconds(20))
        }
        #expect(
            error.map { "\($0)" }
                == "2 of 3 actions are scheduled after 0.02 seconds, due in 0.5 s, in 30.0 s")
        let none = await #expect(throws: CheckFailure.self) {
            try await ManualClock().pending(atLeast: 1, within: .zero)
        }
        #expect(none?.localizedDescription == "0 of 1 actions are scheduled after 0.0 seconds")
        // The action that was scheduled too late doesn't resume the earlier wait.
        _ = note("last", after: .seconds(1))
        #expect(clock.pending == 3)
    }

    @Test("Many actions run in order, and many can be cancelled")
    func many() {
        let count = 20_000
        let jobs = (0..<count).map { number in
            // Every other action is due before the action that was scheduled first.
            clock.schedule(after: .seconds(number.isMultiple(of: 2) ? number : count - number)) { [ran] in
                if number < 4 || number == count - 1 { ran.append("\(number)") }
            }
        }
        for work in jobs[4..<(count - 1)] where clock.pending > count / 2 { work.cancel() }
        #expect(clock.pending == count / 2)
        clock.advance(by: .seconds(count))
        #expect(ran.values == ["0", "\(count - 1)", "2", "3", "1"] && clock.pending == 0)
    }

    @Test("Many threads can advance the clock and schedule actions")
    func threads() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { [clock, ran] in
                    _ = clock.schedule(after: .seconds(1)) { ran.append("ran") }
                    clock.advance(by: .milliseconds(100))
                }
            }
        }
        clock.advance(by: .seconds(1))
        #expect(ran.values.count == 50 && clock.pending == 0)
    }
}

@Suite("A service with a manual clock")
struct ManualServiceTests {
    private let clock = ManualClock()
    private let stub = StubDataSource()
    private var service: WebService {
        var service = WebService.test(stub)
        service.clock = clock
        return service
    }

    @Test("A service uses the system's clock unless another one is set")
    func clocks() {
        var service = WebService.test(stub)
        #expect(service.clock is SystemClock)
        service.clock = clock
        #expect(service.clock is ManualClock)
        service.clock = .system
        #expect(service.clock is SystemClock)
    }

    @Test("Responses have the time of the service's clock")
    func dates() async throws {
        stub.stub(.GET, "/a", .json([1]))
        clock.advance(by: .seconds(5))
        #expect(try await service.GET("/a").result.get().timestamp == clock.now)
    }

    @Test(
        "Stubs delay their responses by the service's clock, even through adapters",
        arguments: [false, true])
    func delays(isWrapped: Bool) async throws {
        stub.stub(.GET, "/a", .json([1]).delayed(.seconds(3600)))
        var service = WebService.test(isWrapped ? stub.coalescing() : stub)
        service.clock = clock
        let task = service.GET("/a")
        clock.advance(by: .seconds(3599))
        #expect(task.state == .running)
        clock.advance(by: .seconds(1))
        #expect(try await task.json == [1])
    }

    @Test("Stubs delay their responses by the service's clock behind an interceptor")
    func intercepted() async throws {
        let asked = Event()
        let hour = StubResponse.json([1]).delayed(.seconds(3600))
        stub.stub(
            .GET, "/a",
            .dynamic { _ in
                defer { asked.happen() }
                return hour
            })
        var service = WebService.test(stub.intercepting { request, next in try await next(request) })
        service.clock = clock
        let task = service.GET("/a")
        await asked.wait()
        try await clock.pending(atLeast: 1)
        clock.advance(by: .seconds(3600))
        #expect(try await task.json == [1])
    }

    private static let failures: StubResponse = .sequence([.status(503), .status(503), .text("done")])

    @Test(
        "run(until:) advances the clock through delays, retries and timeouts until the task completes",
        arguments: [false, true])
    func runs(isIntercepted: Bool) async throws {
        stub.stub(.GET, "/report", Self.failures.delayed(.milliseconds(300)))
        var service = service
        if isIntercepted { service.dataSource = stub.intercepting { try await $1($0) } }
        var options: [Request.Option] = [.retry(.standard)]
        // The closure's Swift task may run so late that the clock would advance to a timeout.
        if !isIntercepted { options.append(.timeout(.seconds(300))) }
        let report = service.GET("/report", options: options).downloadProgress { _ in }
        while await !clock.run(until: report) {}
        #expect(try await report.text == "done")
        #expect(stub.requests.count == 3)
    }

    @Test("run(until:) advances to the timeout if nothing else is scheduled")
    func runsToTimeout() async throws {
        let gate = Gate()
        stub.stub(.GET, "/a", .json([]).held(by: gate))
        let start = clock.now
        let task = service.GET("/a", options: [.timeout(.seconds(30))])
        try #require(await clock.run(until: task))
        let error = await #expect(throws: ServiceError.self) { try await task.data }
        #expect(error?.reason == .timedOut)
        #expect(clock.now == start.addingTimeInterval(30))
    }

    @Test("run(until:) returns false if the task waits for something else, and can be called again")
    func stops() async throws {
        let gate = Gate()
        stub.stub(.GET, "/a", .json([1]).held(by: gate).delayed(.seconds(5)))
        let task = service.GET("/a")
        #expect(await !clock.run(until: task))
        #expect(task.state == .running && clock.pending == 0)
        gate.open()
        try #require(await clock.run(until: task))
        #expect(try await task.json == [1])
        // A completed task takes no time.
        let end = clock.now
        #expect(await clock.run(until: task) && clock.now == end)
    }

    @Test("run(until:) advances the clock until a future's Swift task completes")
    func runsFuture() async throws {
        stub.stub(.GET, "/a", .json([1]).delayed(.seconds(5)))
        let future = service.future(as: [Int].self) { $0.GET("/a") }
        let values = Task { try await future.value }
        while await !clock.run(until: values) {}
        #expect(try await values.value == [1])
    }

    @Test("run(until:) waits for the work of a busy main actor")
    func busyMainActor() async {
        let isLate = Lock(false)
        _ = clock.schedule(after: .seconds(30)) { isLate.withLock { $0 = true } }
        let task = Task { @MainActor in
            for _ in 0..<5 { await Task.yield() }
            return isLate.withLock { $0 }
        }
        let work = (0..<10).map { _ in
            Task { @MainActor in
                while !Task.isCancelled {
                    usleep(5_000)
                    await Task.yield()
                }
            }
        }
        await clock.run(until: task)
        for work in work { work.cancel() }
        #expect(await !task.value)
    }

    @Test("run(until:) ends after its time limit, and when its own Swift task is cancelled")
    func bounded() async {
        let gate = Gate()
        stub.stub(.GET, "/a", .json([1]).held(by: gate))
        let task = service.GET("/a")
        let again = Lock<(@Sendable () -> Void)?>(nil)
        let ticks = Recorder<Void>()
        again.withLock { [clock] in
            $0 = {
                _ = clock.schedule(after: .seconds(1)) {
                    ticks.append(()); again.withLock { $0 }?()
                }
            }
        }
        again.withLock { $0 }?()
        #expect(await !clock.run(until: task, within: .milliseconds(50)))
        let running = Task { [clock] in await clock.run(until: task) }
        _ = await ticks.first(ticks.values.count + 1)
        running.cancel()
        #expect(await !running.value)
        again.withLock { $0 = nil }
        task.cancel()
    }

    @Test("Code that sleeps on the service's clock continues when its time has come")
    func sleep() async throws {
        let ran = Recorder<String>()
        let sleeping = Task { [service] in
            try await service.clock.sleep(for: .seconds(2))
            ran.append("awake")
        }
        try await clock.pending(atLeast: 1)
        clock.advance(by: .seconds(1))
        #expect(clock.pending == 1 && ran.values.isEmpty)
        clock.advance(by: .seconds(1))
        try await sleeping.value
        #expect(ran.values == ["awake"])
        try await service.clock.sleep(for: .zero)
    }

    @Test("Cancelling code that sleeps leaves no scheduled work")
    func cancelledSleep() async throws {
        let sleeping = Task { [service] in try await service.clock.sleep(for: .seconds(2)) }
        try await clock.pending(atLeast: 1)
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        #expect(clock.pending == 0)
    }

    @Test("The service's clock decides how old a cached response is")
    func ages() async throws {
        stub.stub(.GET, "/a", .sequence([.json([1]), .json([2])]))
        let cache = MemoryCache()
        var service = service
        service.configure {
            $0.pipeline[.rawData].cacheUsing(cache)
            $0.cachePolicy = .preferCache(maxAge: .seconds(60))
        }
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(59))
        #expect(try await service.GET("/a").json == [1])
        clock.advance(by: .seconds(1))
        #expect(try await service.GET("/a").json == [2])
    }
}
