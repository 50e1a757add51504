import Foundation
import Observation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

@Suite("An event source")
struct EventSourceTests {
    private let source = StreamingDataSource()
    private let clock = ManualClock()
    private var service: WebService {
        var service = WebService.test(source)
        service.clock = clock
        return service
    }

    private static let fields = ["Content-Type": "text/event-stream; charset=utf-8"]

    /// Reads to the end in its own Swift task.
    private func reading(
        _ events: EventSource, _ seen: Recorder<ServerSentEvent> = Recorder()
    ) -> Task<ServiceError?, Never> {
        Task {
            do throws(ServiceError) {
                for try await event in events { seen.append(event) }
                return nil
            } catch { return error }
        }
    }

    @Test("An event source reconnects with Last-Event-ID after the server's retry time, until a 204")
    func reconnects() async throws {
        let seen = Recorder<ServerSentEvent>()
        let end = reading(service.eventSource { $0.GET("/feed") }, seen)
        let first = await source.exchange
        #expect(first.request.value(forHTTPHeaderField: "Accept") == "text/event-stream")
        #expect(first.request.value(forHTTPHeaderField: "Cache-Control") == "no-cache")
        #expect(first.request.value(forHTTPHeaderField: "Last-Event-ID") == nil)
        first.head(headers: Self.fields)
        first.send("retry: 10000\nid: 7\ndata: a\n\ndata: incomplete")
        first.end()
        _ = await seen.first(1)
        try await clock.pending(atLeast: 1)
        clock.advance(by: .seconds(9.9))
        #expect(source.exchanges.values.count == 1)
        clock.advance(by: .seconds(2.2))
        let second = await source.exchange(1)
        #expect(second.request.value(forHTTPHeaderField: "Last-Event-ID") == "7")
        second.head(headers: Self.fields)
        second.send("data: b\n\n")
        second.end(error: URLError(.networkConnectionLost))
        #expect(await seen.first(2).map(\.data) == ["a", "b"])
        #expect(seen.values[1].id == "7")
        try await clock.pending(atLeast: 1)
        clock.advance(by: .seconds(13))
        let third = await source.exchange(2)
        #expect(third.request.value(forHTTPHeaderField: "Last-Event-ID") == "7")
        third.head(204, headers: [:])
        third.end()
        #expect(await end.value == nil)
        #expect(clock.pending == 0)
    }

    @Test("An event source reconnects after a temporary failure", arguments: [408, 429, 500, 502, 503, 504])
    func recoverableStatus(status: Int) async throws {
        let end = reading(service.eventSource { $0.GET("/feed") })
        let first = await source.exchange
        first.head(status, headers: ["Retry-After": "20"])
        first.end()
        try await clock.pending(atLeast: 1)
        clock.advance(by: .seconds(19.9))
        #expect(source.exchanges.values.count == 1)
        clock.advance(by: .seconds(1))
        await source.exchange(1).head(204)
        await source.exchange(1).end()
        #expect(await end.value == nil)
    }

    @Test("A permanent failure is thrown", arguments: [400, 401, 403, 404, 410, 201, 205])
    func lastingStatus(status: Int) async throws {
        let end = reading(service.eventSource { $0.GET("/feed") })
        let first = await source.exchange
        first.head(status, headers: Self.fields)
        first.end()
        let error = try #require(await end.value)
        #expect(error.reason == .unacceptableStatus)
        #expect(error.statusCode == status)
        #expect(clock.pending == 0)
        #expect(source.exchanges.values.count == 1)
    }

    @Test("A response with another content type is thrown, and the connection is closed")
    func otherContent() async throws {
        let end = reading(service.eventSource { $0.GET("/feed") })
        let first = await source.exchange
        first.head(headers: ["Content-Type": "text/html"])
        let error = try #require(await end.value)
        #expect(error.reason == .contentMismatch(expected: "text/event-stream", actual: "text/html"))
        #expect(first.calls.values.last == .cancel)
    }

    @Test("If the closure throws, the loop fails with its error")
    func throwingClosure() async throws {
        let error = try #require(await reading(service.eventSource { _ in throw AppError() }).value)
        #expect(error.reason == .thrown)
    }

    @Test("Cancelling the Swift task ends the loop and the request while it reads")
    func cancelledReading() async throws {
        let end = reading(service.eventSource { $0.GET("/feed") })
        let first = await source.exchange
        first.head(headers: Self.fields)
        await first.delivered()
        end.cancel()
        #expect(await end.value?.reason == .cancelled)
        #expect(first.calls.values.last == .cancel)
        #expect(clock.pending == 0)
    }

    @Test("Cancelling the Swift task ends the loop while it waits to reconnect")
    func cancelledWaiting() async throws {
        let end = reading(service.eventSource { $0.GET("/feed") })
        await source.exchange.end(error: URLError(.cannotConnectToHost))
        try await clock.pending(atLeast: 1)
        end.cancel()
        #expect(await end.value?.reason == .cancelled)
        #expect(clock.pending == 0)
        #expect(source.exchanges.values.count == 1)
    }

    @Test("An event ID that is too long isn't sent when the event source reconnects")
    func longID() async throws {
        let end = reading(service.eventSource { $0.GET("/feed") })
        let first = await source.exchange
        first.head(headers: Self.fields)
        first.send("id: short\ndata: a\n\nid: \(String(repeating: "x", count: 1_000_000))\ndata: b\n\n")
        first.end()
        try await clock.pending(atLeast: 1)
        clock.advance(by: .seconds(4))
        let second = await source.exchange(1)
        #expect(second.request.value(forHTTPHeaderField: "Last-Event-ID") == "short")
        second.head(204, headers: [:])
        second.end()
        #expect(await end.value == nil)
    }

    @Test("If the server sets no delay and ends each connection after an event, the delays still grow")
    func noPause() async throws {
        let end = reading(service.eventSource { $0.GET("/feed") })
        for index in 0..<8 {
            let exchange = await source.exchange(index)
            exchange.head(headers: Self.fields)
            exchange.send("retry: 0\ndata: \(index)\n\n")
            exchange.end()
            try await clock.pending(atLeast: 1)
            let wait = 10 << index
            clock.advance(by: .milliseconds(wait - 1))
            #expect(source.exchanges.values.count == index + 1)
            clock.advance(by: .milliseconds(wait))
        }
        end.cancel()
        #expect(await end.value?.isCancelled == true)
    }

    @Test("The state is current, and Observation reports each change")
    func state() async throws {
        let events = service.eventSource { $0.GET("/feed") }
        let states = StateRecorder(events)
        let end = reading(events)
        let first = await source.exchange
        #expect(await states.first(1) == [.connecting])
        first.head(headers: Self.fields)
        #expect(await states.first(2).last == .open)
        first.end()
        try await clock.pending(atLeast: 1)
        guard case .waiting(let date) = await states.first(3)[2] else {
            Issue.record("it doesn't wait")
            return
        }
        #expect((3...3.61).contains(date.timeIntervalSince(clock.now)))
        clock.advance(by: .seconds(4))
        let second = await source.exchange(1)
        #expect(await states.first(4).last == .connecting)
        second.head(204, headers: [:])
        second.end()
        #expect(await end.value == nil)
        #expect(await states.first(5).last == .ended)
    }

    @Test("After a loop is left or cancelled, the state is ended", arguments: [false, true])
    func endedState(isCancelled: Bool) async throws {
        let events = service.eventSource { $0.GET("/feed") }
        let states = StateRecorder(events)
        let reading = Task { for try await _ in events { break } }
        let first = await source.exchange
        #expect(await states.first(1) == [.connecting])
        first.head(headers: Self.fields)
        #expect(await states.first(2).last == .open)
        if isCancelled { reading.cancel() } else { first.send("data: a\n\n") }
        #expect(await states.first(3).last == .ended)
    }

    @Test("An event's data is decoded with the service's JSON settings")
    func decoded() async throws {
        struct Note: Decodable, Equatable { let userName: String }
        let seen = Recorder<ServerSentEvent>()
        let end = reading(
            service.configured { $0.jsonDecoding.keyDecodingStrategy = .convertFromSnakeCase }
                .eventSource { $0.GET("/feed") }, seen)
        let first = await source.exchange
        first.head(headers: Self.fields)
        first.send("data: {\"user_name\": \"ann\"}\n\ndata: {\n\ndata: []\n\n")
        let events = await seen.first(3)
        end.cancel()
        #expect(try events[0].decoded(as: Note.self) == Note(userName: "ann"))
        #expect(throws: ServiceError.self) { try events[1].decoded(as: Note.self) }
        let errors = events[1...].map { event in Result { try event.decoded() as Note }.reason }
        #expect(errors == [.unparsable, .undecodable])
        #expect(events[0] == ServerSentEvent(data: "{\"user_name\": \"ann\"}"))
    }

    @Test("Leaving the loop closes the connection")
    func leaving() async throws {
        let events = service.eventSource { $0.GET("/feed") }
        let reading = Task { for try await _ in events { break } }
        let first = await source.exchange
        first.head(headers: Self.fields)
        first.send("data: a\n\n")
        try await reading.value
        #expect(first.calls.values.last == .cancel)
        #expect(source.exchanges.values.count == 1)
    }
}

extension Result {
    fileprivate var reason: ServiceError.Reason? {
        if case .failure(let error) = self { (error as? ServiceError)?.reason } else { nil }
    }
}

private final class StateRecorder: Sendable {
    private let states = Recorder<EventSource.State>()
    private let events: EventSource

    init(_ events: EventSource) {
        self.events = events
        Task { await watch() }
    }

    func first(_ count: Int) async -> [EventSource.State] { await states.first(count) }

    @MainActor private func watch() {
        let state = withObservationTracking {
            events.state
        } onChange: { [weak self] in
            DispatchQueue.main.async { MainActor.assumeIsolated { self?.watch() } }
        }
        if states.values.last != state { states.append(state) }
    }
}

@Suite("The delays of an event source")
struct ReconnectionTests {
    private func delays(_ reconnection: inout Reconnection, _ count: Int, after error: ServiceError? = nil)
        -> [Double]
    {
        (0..<count).map { _ in
            guard case .wait(let delay) = reconnection.step(after: error, now: Date()) else { return -1 }
            return (delay.seconds * 1000).rounded() / 1000
        }
    }

    @Test("Delays double up to a minute, and vary randomly above the server's retry time")
    func backOff() {
        var reconnection = Reconnection()
        reconnection.chance = { 1 }
        #expect(delays(&reconnection, 7) == [3.6, 6, 12, 24, 48, 60, 60])
        reconnection.chance = { 0 }
        #expect(delays(&reconnection, 2) == [3, 3])
        reconnection.noteEvent()
        reconnection.chance = { 1 }
        #expect(delays(&reconnection, 1) == [3.6])
    }

    @Test("If connections end quickly, the delays grow up to three seconds until one lasts")
    func brief() {
        var reconnection = Reconnection()
        reconnection.chance = { 0 }
        reconnection.serverTime = .zero
        let now = Date()
        func delay(lasting time: TimeInterval) -> Duration? {
            reconnection.begin(at: now)
            reconnection.noteEvent()
            guard case .wait(let delay) = reconnection.step(after: nil, now: now.addingTimeInterval(time))
            else {
                return nil
            }
            return delay
        }
        let milliseconds = [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3000, 3000]
        #expect(milliseconds.map { _ in delay(lasting: 0.01) } == milliseconds.map { .milliseconds($0) })
        #expect(delay(lasting: 5) == .zero)
        #expect(delay(lasting: 0) == .milliseconds(10))
    }

    @Test("A long retry time of the server is followed, and a retry time of zero applies only after an event")
    func serverTime() {
        var reconnection = Reconnection()
        reconnection.chance = { 1 }
        reconnection.serverTime = .seconds(600)
        #expect(delays(&reconnection, 3) == [720, 720, 720])
        reconnection = Reconnection()
        reconnection.chance = { 0 }
        reconnection.serverTime = .zero
        #expect(delays(&reconnection, 3) == [0, 0.1, 0.1])
        reconnection.serverTime = .century
        #expect(delays(&reconnection, 1)[0] > 3e9)
    }
}
