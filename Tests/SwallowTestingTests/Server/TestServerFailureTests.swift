import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The failures, as URLSession sees them.
@Suite("The failures of a test server")
struct TestServerFailureTests {
    private static let text = TestServer.Response.text(String(repeating: "abcdefgh", count: 1_000))

    @Test("A server can refuse connections")
    func refused() async throws {
        let server = try await TestServer.refusing()
        #expect(await outcome(server).code == .cannotConnectToHost)
        #expect(server.requests.isEmpty && server.connectionCount == 0)
    }

    // On Linux, URLSession ends the process if a connection is closed in the head.
    @Test(
        "A connection is reset or closed at a moment of the response",
        arguments: [
            text.reset(.beforeHead), text.reset(.inHead), text.reset(.inBody), text.closed(.beforeHead),
            text.closed(.inBody),
        ])
    func interrupted(response: TestServer.Response) async throws {
        let server = try await TestServer { _ in response }
        let outcome = await outcome(server)
        #expect(outcome.error is URLError)
        #expect(outcome.data == nil)
    }

    @Test(
        "A response stalls at a moment, until the client leaves",
        arguments: [TestServer.Response.Moment.beforeHead, .inHead, .inBody])
    func stalled(moment: TestServer.Response.Moment) async throws {
        let server = try await TestServer { _ in Self.text.stalled(moment) }
        let call = Call(request(server), URLSessionDataSource()).resumed()
        _ = await server.request(0)
        #expect(call.answers == 0)
        call.task.cancel()
        #expect(await call.outcome.isCancelled)
        await server.connectionsClosed()
    }

    @Test("A body that trickles arrives complete")
    func trickled() async throws {
        let server = try await TestServer(Self.text.trickled(bytes: 1_000, every: .milliseconds(1)))
        #expect(await outcome(server).text.hasSuffix("abcdefgh"))
        #expect(server.connectionCount == 1)
    }

    @Test("A length that is too large is an error, and one that is too small cuts the body off")
    func lengths() async throws {
        let server = try await TestServer(Self.text.contentLength(9_000), Self.text.contentLength(4))
        #expect(await outcome(server).error is URLError)
        #expect(await outcome(server).text == "abcd")
    }

    @Test("Chunks arrive one by one as a gate lets them pass")
    func chunks() async throws {
        let gate = Gate()
        let parts = ["a", "b", "c"].map { Data(String(repeating: $0, count: 2_000).utf8) }
        let server = try await TestServer(.chunks(parts, heldBy: gate))
        let call = StreamCall(request(server), URLSessionDataSource()).streaming().resumed()
        for count in 0..<3 {
            _ = await call.progress.first(count + 1)
            #expect(call.streamed.count == count * 2_000)
            gate.open(next: 1)
        }
        #expect(await call.body == Data(parts.joined()))
    }

    @Test("A response waits for its gate and its delay")
    func held() async throws {
        let gate = Gate()
        let server = try await TestServer(.text("ok").held(by: gate).delayed(.milliseconds(1)))
        let call = Call(request(server), URLSessionDataSource()).resumed()
        try await gate.arrivals()
        #expect(call.answers == 0)
        gate.open()
        #expect(await call.outcome.text == "ok")
    }

    @Test("Bytes that aren't HTTP are an error")
    func raw() async throws {
        let server = try await TestServer(.raw(Data("this isn't HTTP\r\n\r\n".utf8)))
        #expect(await outcome(server).error is URLError)
    }

    @Test("Events arrive one by one, and the event stream ends with its source")
    func events() async throws {
        let (events, source) = AsyncStream<ServerSentEvent>.makeStream()
        let server = try await TestServer { _ in .events(events) }
        var received = service(server).GET("/").events.makeAsyncIterator()
        for number in 0..<3 {
            source.yield(ServerSentEvent(id: "\(number)", event: "price", data: "line 1\nline \(number)"))
            let event = try await received.next()
            #expect(event == ServerSentEvent(id: "\(number)", event: "price", data: "line 1\nline \(number)"))
        }
        source.finish()
        #expect(try await received.next() == nil)
    }

    @Test("Each line of an event's data arrives, whichever characters end it")
    func eventLines() async throws {
        let server = try await TestServer(.events([ServerSentEvent(data: "a\r\nb\rc\nd")]))
        var received = service(server).GET("/").events.makeAsyncIterator()
        #expect(try await received.next()?.data == "a\nb\nc\nd")
    }

    @Test("An event stream can stay open after its events")
    func openEvents() async throws {
        let server = try await TestServer(
            .events([ServerSentEvent(data: "a"), ServerSentEvent(data: "b", retry: .seconds(1))]).stalled(
                .afterBody))
        let task = service(server).GET("/")
        var received = task.events.makeAsyncIterator()
        #expect(try await received.next()?.data == "a")
        #expect(try await received.next()?.retry == .seconds(1))
        task.cancel()
        await server.connectionsClosed()
    }

    /// A request that doesn't time out while the machine is busy with other tests.
    private func request(_ server: TestServer) -> URLRequest {
        URLRequest(url: server.url, timeoutInterval: 3600)
    }

    private func service(_ server: TestServer) -> WebService {
        var service = WebService(baseURL: server.url)
        service.configure { $0.timeout = .seconds(3600) }
        return service
    }

    private func outcome(_ server: TestServer) async -> Call.Outcome {
        await Call(request(server), URLSessionDataSource()).resumed().outcome
    }
}
