import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Digest authentication with a server")
struct DigestServerTests {
    /// A server with one user. It accepts each nonce a number of times.
    private final class Realm: Sendable {
        private struct State: Sendable {
            var nonce = 1
            var count = 0
            /// The nonce of the challenge, and the client's first nonce for it.
            var session: (nonce: String, clientNonce: String)?
        }

        let algorithm: String
        let uses: Int
        /// Whether each response includes the nonce for the next request.
        let namesNext: Bool
        private let state = Lock(State())

        init(_ algorithm: String, uses: Int = .max, namesNext: Bool = false) {
            self.algorithm = algorithm
            self.uses = uses
            self.namesNext = namesNext
        }

        func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
            state.withLock { state in
                let given = AuthenticationChallenge.challenges(in: request.header("Authorization") ?? "")
                    .first?.parameters
                guard let given, let nonce = given["nonce"] else { return rejection(state.nonce) }
                if nonce != "n\(state.nonce)" { return rejection(state.nonce) }
                state.session = state.session ?? (nonce, given["cnonce"] ?? "")
                guard given["response"] == response(request, given, state.session) else {
                    state.session = nil
                    return rejection(state.nonce)
                }
                state.count += 1
                guard given["nc"] == String(format: "%08x", state.count) else {
                    return .respond(.json(#"{"nc":"wrong"}"#, status: 400))
                }
                if namesNext {
                    state = State(nonce: state.nonce + 1, session: state.session)
                    return .respond(
                        .init(
                            headers: [
                                ("Authentication-Info", "qop=auth, nextnonce=\"n\(state.nonce)\""),
                                ("Content-Type", "application/json"),
                            ], body: .data(Data(#"{"user":"ann"}"#.utf8))))
                }
                guard state.count > uses else {
                    return .respond(.json(#"{"user":"\#(given["username"] ?? "")"}"#))
                }
                state = State(nonce: state.nonce + 1)
                return rejection(state.nonce, isStale: true)
            }
        }

        private func rejection(_ nonce: Int, isStale: Bool = false) -> LoopbackServer.Reply {
            let field =
                "Digest realm=\"r\", nonce=\"n\(nonce)\", algorithm=\(algorithm), qop=\"auth\", opaque=\"o\""
                + (isStale ? ", stale=true" : "")
            return .respond(
                .init(
                    status: 401,
                    headers: [("WWW-Authenticate", field), ("Content-Type", "application/json")],
                    body: .data(Data(#"{"error":"no"}"#.utf8))))
        }

        private func response(
            _ request: LoopbackServer.Request, _ given: [String: String],
            _ session: (nonce: String, clientNonce: String)?
        ) -> String {
            let (count, clientNonce) = (given["nc"] ?? "", given["cnonce"] ?? "")
            let target = hash("\(request.method):\(request.target)")
            var secret = hash("ann:r:word")
            if algorithm.hasSuffix("-sess"), let session {
                secret = hash("\(secret):\(session.nonce):\(session.clientNonce)")
            }
            return hash("\(secret):\(given["nonce"] ?? ""):\(count):\(clientNonce):auth:\(target)")
        }

        private func hash(_ text: String) -> String {
            switch algorithm {
            case "MD5", "MD5-sess": MD5.hexDigest(of: text)
            case "SHA-512-256", "SHA-512-256-sess": SHA512.hexDigest256(of: text)
            default: SHA256.hexDigest(of: text)
            }
        }
    }

    private func service(
        _ server: LoopbackServer, _ password: String = "word", _ contestant: Contestant? = nil
    ) -> WebService {
        var service = WebService(
            baseURLString: server.baseURLString,
            dataSource: contestant?.source() ?? WebService.standardDataSource)
        service.configure { $0.authenticator = .digest("ann", password) }
        return service
    }

    @Test(
        "The client answers the challenge, and later requests include the answer immediately",
        arguments: ["MD5", "SHA-256", "SHA-512-256", "MD5-sess", "SHA-256-sess", "SHA-512-256-sess"])
    func answers(algorithm: String) async throws {
        let realm = Realm(algorithm)
        let server = try LoopbackServer { realm.answer($0) }
        let service = service(server)
        #expect(try await service.GET("/a%20b", parameters: ["q": "ü"]).json["user"] == "ann")
        #expect(try await service.POST("/", parameters: ["a": 1]).json["user"] == "ann")
        #expect(try await service.PUT("/x").json["user"] == "ann")
        #expect(server.requests.count == 4)
    }

    @Test("Every transport leaves the challenge to the authenticator", arguments: Contestant.transports)
    func transports(contestant: Contestant) async throws {
        let realm = Realm("MD5")
        let server = try LoopbackServer { realm.answer($0) }
        let service = service(server, "word", contestant)
        #expect(try await service.POST("/", parameters: ["a": 1]).json["user"] == "ann")
        #expect(server.requests.map(\.body) == [Data("a=1".utf8), Data("a=1".utf8)])
    }

    @Test(
        "After a redirect, the answer is computed for the redirected request",
        arguments: Contestant.transports, [(302, true), (303, false), (307, true), (308, false)])
    func redirected(contestant: Contestant, redirect: (status: Int, isGuarded: Bool)) async throws {
        let realm = Realm("SHA-256")
        let server = try LoopbackServer { request in
            let reply = realm.answer(request)
            guard request.path == "/old" else { return reply }
            if redirect.isGuarded, case .respond(let response) = reply, response.status == 401 {
                return reply
            }
            return .respond(.init(status: redirect.status, headers: [("Location", "/new?b=%20")]))
        }
        let service = service(server, "word", contestant)
        for _ in 0..<2 {
            #expect(try await service.POST("/old", parameters: ["a": 1]).json["user"] == "ann")
        }
        let uris = server.requests.suffix(2).map { request in
            AuthenticationChallenge.challenges(in: request.header("Authorization") ?? "").first?
                .parameters["uri"]
        }
        #expect(uris == ["/old", "/new?b=%20"])
    }

    @Test(
        "The next request uses the nonce that the server's response includes",
        arguments: ["SHA-256", "SHA-256-sess"])
    func nextNonce(algorithm: String) async throws {
        let realm = Realm(algorithm, namesNext: true)
        let server = try LoopbackServer { realm.answer($0) }
        let service = service(server)
        for _ in 0..<4 { #expect(try await service.GET("/").json["user"] == "ann") }
        #expect(server.requests.count == 5)
        let nonces = server.requests.dropFirst().map { request in
            AuthenticationChallenge.challenges(in: request.header("Authorization") ?? "").first?
                .parameters["nonce"]
        }
        #expect(nonces == ["n1", "n2", "n3", "n4"])
    }

    @Test("A server that requires body protection fails the request, and the error names auth-int")
    func integrity() async throws {
        let server = try LoopbackServer { _ in
            let field = "Digest realm=r, nonce=n, qop=\"auth-int\""
            return .respond(.init(status: 401, headers: [("WWW-Authenticate", field)]))
        }
        let error = await service(server).GET("/").finalError
        #expect(error?.statusCode == 401)
        #expect(error?.reason == .unacceptableStatus)
        #expect(error.map { "\($0)".contains("auth-int") } == true)
        #expect(error?.request != nil)
        #expect(server.requests.count == 1)
    }

    @Test("A response that requires body protection keeps its body, and can be accepted by its status")
    func integrityBody() async throws {
        let server = try LoopbackServer { _ in
            let field = "Digest realm=r, nonce=n, qop=\"auth-int\""
            let fields = [("WWW-Authenticate", field), ("Content-Type", "application/json")]
            return .respond(.init(status: 401, headers: fields, body: .data(Data(#"{"why": "int"}"#.utf8))))
        }
        let error = await service(server).GET("/").finalError
        #expect(error?.json["why"] == "int")
        let accepted = service(server).GET("/", options: [.acceptableStatusCodes([401])])
        #expect(try await accepted.json["why"] == "int")
    }

    @Test("A stale nonce is replaced")
    func stale() async throws {
        let realm = Realm("SHA-256", uses: 2)
        let server = try LoopbackServer { realm.answer($0) }
        let service = service(server)
        for _ in 0..<5 { #expect(try await service.GET("/").json["user"] == "ann") }
        // 401, 200, 200, 401, 200, 200, 401, 200
        #expect(server.requests.count == 8)
    }

    @Test("Stored responses are served without a new challenge, and use up no nonce count")
    func cached() async throws {
        let realm = Realm("SHA-256")
        let server = try LoopbackServer { realm.answer($0) }
        var service = service(server)
        service.configure { [cache = MemoryCache()] in $0.pipeline[.parsing].cacheUsing(cache) }
        for _ in 0..<3 { #expect(try await service.GET("/").json["user"] == "ann") }
        // A strict server rejects a skipped count, which would cause another 401.
        #expect(server.requests.count == 4)
        #expect(try await service.GET("/", options: [.cachePolicy(.onlyCache)]).json["user"] == "ann")
        #expect(server.requests.count == 4)
    }

    @Test("A wrong password is sent once with a challenge, and then the request fails")
    func wrong() async throws {
        let realm = Realm("MD5")
        let server = try LoopbackServer { realm.answer($0) }
        let service = service(server, "wrong")
        let error = await service.GET("/").finalError
        #expect(error?.statusCode == 401 && error?.attempts == 2)
        #expect(error?.json["error"] == "no")
        #expect(await service.GET("/").finalError?.attempts == 1)
    }

    @Test("Fifty concurrent requests all succeed")
    func many() async throws {
        let server = try LoopbackServer { request in
            let field = request.header("Authorization") ?? ""
            return field.hasPrefix("Digest username=\"ann\"")
                ? .respond(.json("{}"))
                : .respond(
                    .init(
                        status: 401,
                        headers: [("WWW-Authenticate", "Digest realm=r, nonce=\(UUID().uuidString)")]))
        }
        let service = service(server)
        let tasks = (0..<50).map { _ in service.GET("/") }
        for task in tasks { #expect(try await task.json == [:]) }
        #expect(server.requests.count <= 100)
    }
}
