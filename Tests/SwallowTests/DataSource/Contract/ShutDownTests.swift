import Foundation
import LoopbackServer
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

private protocol Closable: SessionDataTaskDataSource {
    func shutDown(within limit: Duration) async
}

extension URLSessionDataSource: Closable {}
#if os(Linux) && canImport(Glibc)
    extension CurlDataSource: Closable {}
#endif

@Suite("A data source that is shut down")
struct ShutDownTests {
    private let arrived = Recorder<Void>()
    private let mayContinue = DispatchSemaphore(value: 0)
    private let server: LoopbackServer

    init() throws {
        let (arrived, mayContinue) = (arrived, mayContinue)
        server = try LoopbackServer { request in
            switch request.path {
            case "/waits":
                arrived.append(())
                mayContinue.wait()
                return .respond(.text("late"))
            case "/redirect":
                arrived.append(())
                mayContinue.wait()
                return .respond(.redirect(to: "/last"))
            case "/stall":
                arrived.append(())
                return .stall
            case "/large":
                return .respond(
                    LoopbackServer.Response(status: 200, headers: [], body: .data(Data(count: 8 << 20))))
            default: return .respond(.text("last"))
            }
        }
    }

    private func source(_ contestant: Contestant) throws -> any Closable {
        try #require(contestant.source() as? any Closable)
    }

    @Test(
        "Tasks under way end as they would, redirects included; new ones end cancelled",
        arguments: Contestant.transports)
    func ends(contestant: Contestant) async throws {
        let source = try source(contestant)
        let calls = try ["/waits", "/redirect"].map { Call(try server.request($0), source).resumed() }
        _ = await arrived.first(2)
        let made = Call(try server.request("/last"), source)
        async let end: Void = source.shutDown(within: .seconds(3600))
        // Waits until the data source accepts no new tasks.
        while await !Call(try server.request("/last"), source).resumed().outcome.isCancelled {}
        #expect(await made.resumed().outcome.isCancelled)
        #expect(calls.allSatisfy { $0.answers == 0 })
        for _ in 0..<2 { mayContinue.signal() }
        await end
        #expect(calls.map { $0.outcomes.first?.text } == ["late", "last"])
        #expect(await Call(try server.request("/last"), source).resumed().outcome.isCancelled)
        await source.shutDown(within: .zero)
    }

    @Test(
        "When the time is over, the rest is cancelled, also what is suspended",
        arguments: Contestant.transports)
    func deadline(contestant: Contestant) async throws {
        let source = try source(contestant)
        let calls = try (0..<3).map { _ in Call(try server.request("/stall"), source).resumed() }
        _ = await arrived.first(3)
        calls[2].task.suspend()
        await source.shutDown(within: .milliseconds(1))
        #expect(calls.map { $0.outcomes.first?.isCancelled } == [true, true, true])
        await server.connectionsClosed()
    }

    @Test(
        "A task whose body waits for its reader fails when the data source is shut down",
        arguments: Contestant.transports)
    func fullSink(contestant: Contestant) async throws {
        let source = try source(contestant)
        let service = WebService(baseURLString: server.baseURLString, dataSource: source)
        let task = service.GET("/large")
        var parts = task.body.makeAsyncIterator()
        _ = try await parts.next()
        await source.shutDown(within: .zero)
        await #expect(throws: ServiceError.self) { while try await parts.next() != nil {} }
        #expect(task.state == .completed)
    }

    @Test("One who doesn't wait any more cancels the rest", arguments: Contestant.transports)
    func cancelled(contestant: Contestant) async throws {
        let source = try source(contestant)
        let call = Call(try server.request("/stall"), source).resumed()
        _ = await arrived.first(1)
        let end = Task { await source.shutDown(within: .seconds(3600)) }
        end.cancel()
        await end.value
        #expect(call.outcomes.first?.isCancelled == true)
    }

    #if os(Linux) && canImport(Glibc)
        @Test("The connections that were kept are closed, while the data source is still there")
        func connections() async throws {
            let source = CurlDataSource()
            #expect(try await server.get("/last", source).text == "last")
            await source.shutDown(within: .seconds(3600))
            await server.connectionsClosed()
            #expect(await source.cookies.isEmpty)
            withExtendedLifetime(source) {}
        }
    #endif
}
