import Foundation
import LoopbackServer
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Streams of responses with redirects, failures and empty bodies")
struct StreamContractTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test("A body without bytes has a head", arguments: Contestant.allCases)
    func empty(contestant: Contestant) async throws {
        let source = contestant.source()
        for path in ["/empty", "/status/204"] {
            let call = StreamCall(try server.request(path), source).streaming().resumed()
            #expect(await call.body == Data())
            #expect(call.problems == [])
            #expect((call.head != nil) == contestant.streams)
        }
    }

    @Test("Of redirects, only the final response is streamed", arguments: Contestant.transports)
    func redirects(contestant: Contestant) async throws {
        let server = try LoopbackServer { request in
            if request.path == "/end" { return .respond(.text("arrived")) }
            var response = LoopbackServer.Response.redirect(to: request.path == "/1" ? "/2" : "/end")
            response.body = .data(Data(count: 100_000))
            return .respond(response)
        }
        let call = StreamCall(try server.request("/1"), contestant.source()).streaming().resumed()
        #expect(await call.body == Data("arrived".utf8))
        #expect(call.problems == [])
        #expect(!contestant.streams || call.head?.url?.path == "/end")
    }

    @Test("A redirect that isn't followed is streamed as it is", arguments: Contestant.transports)
    func notFollowed(contestant: Contestant) async throws {
        let server = try LoopbackServer { _ in
            var response = LoopbackServer.Response.redirect(to: "/end")
            response.body = .data(Data(count: 100_000))
            return .respond(response)
        }
        let source = contestant.source(redirects: .custom { _, _ in nil })
        let call = StreamCall(try server.request("/"), source).streaming().resumed()
        #expect(await call.body.count == 100_000)
        #expect(call.problems == [])
        #expect(call.head?.statusCode == (contestant.streams ? 302 : nil))
    }

    @Test("What came before a failure is given, then the failure", arguments: Contestant.transports)
    func failure(contestant: Contestant) async throws {
        guard contestant.streams else { return }
        let call = StreamCall(try server.request("/fault/truncated"), contestant.source()).streaming()
            .resumed()
        #expect(await call.outcome.error is URLError)
        #expect(call.head?.statusCode == 200)
        #expect(call.streamed.count == 500)
        #expect(call.problems == [])
    }
}

extension Contestant {
    /// Whether the data source delivers parts. The others deliver the complete body with the completion.
    var streams: Bool {
        switch self {
        case .whole, .ownSession: false
        default: true
        }
    }
}
