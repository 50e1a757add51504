import Foundation
import Swallow
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

    @Test("stands still, and shows the time that it is made with")
    func still() {
        let date = Date(timeIntervalSince1970: 1)
        #expect(ManualClock(now: date).now == date)
        #expect(clock.now == ManualClock().now)
    }

    @Test("runs what is due in the order of its time before advance returns, at that time")
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

    @Test("runs what work schedules itself, where that is due too")
    func nested() {
        _ = clock.schedule(after: .seconds(1)) { [clock, ran] in
            _ = clock.schedule(after: .seconds(1)) { ran.append("nested") }
            _ = clock.schedule(after: .seconds(9)) { ran.append("later") }
        }
        clock.advance(by: .seconds(2))
        #expect(ran.values == ["nested"])
        #expect(clock.pending == 1)
    }

    @Test("never runs what was cancelled, and lets go of it")
    func cancel() {
        let work = note("cancelled", after: .zero)
        #expect(clock.pending == 1)
        work.cancel()
        work.cancel()
        #expect(clock.pending == 0)
        clock.advance(by: .seconds(1))
        #expect(ran.values.isEmpty)
    }

    @Test("runs work without a delay, or a negative one, at the next advance", arguments: [0, -1])
    func atOnce(seconds: Int) {
        _ = note("now", after: .seconds(seconds))
        #expect(ran.values.isEmpty)
        clock.advance(by: .seconds(seconds))
        #expect(ran.values == ["now at 0"])
    }

    @Test("tells when so much waits, before and after it is asked")
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

    @Test("forgets an await that is cancelled, at once or later", arguments: [false, true])
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

    @Test("may be moved and asked from many threads")
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

    @Test("has the system's clock unless it is given another, and again when it is given that")
    func clocks() {
        var service = WebService.test(stub)
        #expect(service.clock is SystemClock)
        service.clock = clock
        #expect(service.clock is ManualClock)
        service.clock = .system
        #expect(service.clock is SystemClock)
    }

    @Test("dates responses by it")
    func dates() async throws {
        stub.stub(.GET, "/a", .json([1]))
        clock.advance(by: .seconds(5))
        #expect(try await service.GET("/a").result.get().timestamp == clock.now)
    }

    @Test("has stubs delay their answers by it, through adapters too", arguments: [false, true])
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

    @Test("has stubs delay their answers by it behind an interceptor")
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

    @Test("takes what caches have for as old as it says")
    func ages() async throws {
        stub.stub(.GET, "/a", .sequence([.json([1]), .json([2])]))
        let cache = MemoryCache()
        var service = service
        service.configure {
            $0.pipeline[.rawData].cacheUsing(cache)
            $0.entityCaching = .prefer(maxAge: .seconds(60))
        }
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(60))
        #expect(try await service.GET("/a").json == [1])
        clock.advance(by: .seconds(1))
        #expect(try await service.GET("/a").json == [2])
    }
}
