import Foundation
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

    /// Reads to the end on a Swift task of its own.
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

    @Test("It connects again with Last-Event-ID, after the time that the server wants, until a 204")
    func reconnects() async throws {
        let seen = Recorder<ServerSentEvent>()
        let end = reading(service.eventSource { $0.GET("/feed") }, seen)
        let first = await source.exchange
        #expect(first.request.value(forHTTPHeaderField: "Accept") == "text/event-stream")
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

    @Test("What may mend is tried again", arguments: [408, 429, 500, 502, 503, 504])
    func mendingStatus(status: Int) async throws {
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

    @Test("What won't mend is thrown", arguments: [400, 401, 403, 404, 410, 201, 205])
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

    @Test("Another content type is thrown, and the connection is closed")
    func otherContent() async throws {
        let end = reading(service.eventSource { $0.GET("/feed") })
        let first = await source.exchange
        first.head(headers: ["Content-Type": "text/html"])
        let error = try #require(await end.value)
        #expect(error.reason == .contentMismatch(expected: "text/event-stream", actual: "text/html"))
        #expect(first.calls.values.last == .cancel)
    }

    @Test("What the closure throws ends the loop")
    func throwingClosure() async throws {
        let error = try #require(await reading(service.eventSource { _ in throw AppError() }).value)
        #expect(error.reason == .thrown)
    }

    @Test("It ends with its Swift task while it reads")
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

    @Test("It ends with its Swift task while it waits")
    func cancelledWaiting() async throws {
        let end = reading(service.eventSource { $0.GET("/feed") })
        await source.exchange.end(error: URLError(.cannotConnectToHost))
        try await clock.pending(atLeast: 1)
        end.cancel()
        #expect(await end.value?.reason == .cancelled)
        #expect(clock.pending == 0)
        #expect(source.exchanges.values.count == 1)
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

@Suite("The decisions of an event source")
struct ReconnectionTests {
    private func delays(_ reconnection: inout Reconnection, _ count: Int, after error: ServiceError? = nil)
        -> [Double]
    {
        (0..<count).map { _ in
            guard case .wait(let delay) = reconnection.step(after: error, now: Date()) else { return -1 }
            return (delay.seconds * 1000).rounded() / 1000
        }
    }

    @Test("Delays double up to a minute, and vary from what the server wants up to that")
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

    @Test("What the server wants is kept, however long; without a pause only after an event")
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
