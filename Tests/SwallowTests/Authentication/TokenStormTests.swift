import Foundation
import LoopbackServer
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The number of token refreshes that rejections cause")
struct TokenStormTests {
    /// The number of refreshed tokens. Their values are `1`, `2` and so on.
    private let made = Lock(0)

    private func authenticator(_ token: String?) -> TokenAuthenticator {
        TokenAuthenticator(token: token.map { .init($0) }) { [made] _ in
            .init(
                made.withLock { made in
                    made += 1
                    return "\(made)"
                })
        }
    }

    private func service(
        _ source: any SessionDataTaskDataSource, token: String? = "0"
    ) -> WebService {
        .scripted(source) { [authenticator = authenticator(token)] in $0.authenticator = authenticator }
    }

    /// A server that accepts the newest token, except at paths that begin with `/closed`.
    private func server(_ isExpired: @escaping @Sendable () -> Bool = { false }) -> ScriptedDataSource {
        ScriptedDataSource { [made] request, _ in
            let isCurrent = request.authorizationValue == "Bearer \(made.withLock { $0 })"
            let isOpen = request.url?.path.hasPrefix("/closed") == false
            return .status(isCurrent && isOpen && !isExpired() ? 200 : 401)
        }
    }

    @Test("Five requests to an endpoint that rejects any token cause one token refresh")
    func storm() async throws {
        let source = server()
        let service = service(source)
        for number in 0..<5 {
            let error = await service.GET("/closed", parameters: ["page": number]).finalError
            #expect(error?.statusCode == 401)
            #expect(error?.attempts == (number == 0 ? 2 : 1))
            #expect(try await service.GET("/open").json == [:])
        }
        #expect(made.withLock { $0 } == 1)
        #expect(source.requests.values.count == 11)
    }

    @Test("Two endpoints that reject any token cause two token refreshes, and another method one more")
    func storms() async {
        let service = service(server())
        for _ in 0..<5 {
            for path in ["/closed/1", "/closed/2"] as [Request.Path] {
                #expect(await service.GET(path).finalError?.statusCode == 401)
            }
        }
        #expect(made.withLock { $0 } == 2)
        for _ in 0..<5 { #expect(await service.PUT("/closed/1").finalError?.statusCode == 401) }
        #expect(made.withLock { $0 } == 3)
    }

    @Test("Concurrent requests to an endpoint that rejects any token cause one token refresh")
    func concurrentStorm() async {
        let source = ManualDataSource()
        let service = service(source)
        let tasks = (0..<5).map { _ in service.GET("/closed") }
        for exchange in await source.exchanges.first(5) { exchange.answer("", status: 401) }
        for exchange in await source.exchanges.first(10)[5...] { exchange.answer("", status: 401) }
        for task in tasks { #expect(await task.finalError?.statusCode == 401) }
        #expect(made.withLock { $0 } == 1)
    }

    @Test("A request with a valid token isn't delayed because an endpoint rejects that token")
    func noWait() async throws {
        let source = server()
        let service = service(source)
        for number in 0..<3 {
            #expect(await service.GET("/closed").finalError?.statusCode == 401)
            let task = service.GET("/open")
            // The request is sent synchronously, because nothing is awaited in between.
            #expect(source.requests.values.last?.url?.path == "/open", "\(number)")
            #expect(try await task.json == [:])
        }
    }

    @Test("Each expiry causes one token refresh", arguments: [["/a"], ["/a", "/b"]] as [[Request.Path]])
    func expiry(paths: [Request.Path]) async throws {
        let expiries = Lock(0)
        let source = ScriptedDataSource { [made] request, _ in
            let number = request.authorizationValue.flatMap { Int($0.dropFirst("Bearer ".count)) } ?? -1
            return .status(number >= expiries.withLock { $0 } && number <= made.withLock { $0 } ? 200 : 401)
        }
        let service = service(source)
        for count in 1...5 {
            expiries.withLock { $0 += 1 }
            let tasks = (0..<20).map { service.GET(paths[$0 % paths.count]) }
            for task in tasks { #expect(try await task.json == [:]) }
            #expect(made.withLock { $0 } == count)
        }
    }

    @Test("An app's own authenticator refreshes once for an endpoint that rejects any credential")
    func ownAuthenticator() async throws {
        let refreshes = Recorder<String>()
        struct Own: Authenticator {
            let refreshes: Recorder<String>

            func authorize(_ request: inout URLRequest) {
                request.setValue("\(refreshes.values.count)", forHTTPHeaderField: "X-Key")
            }

            func refresh(after response: HTTPURLResponse, to request: URLRequest) {
                refreshes.append(request.url?.path ?? "")
            }
        }
        let source = ScriptedDataSource { request, _ in
            .status(request.url?.path == "/closed" ? 401 : 200)
        }
        let service = WebService.scripted(source) { $0.authenticator = Own(refreshes: refreshes) }
        for _ in 0..<5 {
            #expect(await service.GET("/closed").finalError?.statusCode == 401)
            #expect(try await service.GET("/open").json == [:])
        }
        #expect(refreshes.values == ["/closed"])
    }

    @Test(
        "A redirect to another origin and back is sent without the token, whose rejection doesn't count",
        arguments: Contestant.transports)
    func redirect(contestant: Contestant) async throws {
        let target = Lock("")
        let other = try LoopbackServer { _ in
            .respond(.redirect(to: target.withLock { $0 } + "/private", status: 307))
        }
        let away = other.baseURLString + "/away"
        let server = try LoopbackServer { request in
            request.path == "/leave"
                ? .respond(.redirect(to: away, status: 307))
                : .respond(.json("{}", status: request.header("Authorization") == "Bearer 0" ? 200 : 401))
        }
        target.withLock { $0 = server.baseURLString }
        var service = WebService(baseURLString: server.baseURLString, dataSource: contestant.source())
        service.configure { [authenticator = authenticator("0")] in $0.authenticator = authenticator }
        #expect(await service.GET("/leave").finalError?.statusCode == 401)
        #expect(try await service.GET("/private").json == [:])
        #expect(made.withLock { $0 } == 0)
        let sent = server.requests.map { $0.header("Authorization") }
        #expect(sent == ["Bearer 0", nil, "Bearer 0"])
    }
}

@Suite("Tokens that are revoked during a burst")
struct TokenRevocationTests {
    private let made = Lock(0)

    /// - Parameter bursts: Records each burst of rejections. A token refresh waits for the burst that causes it, so that
    ///   no rejected request is sent again before the last one of its burst was rejected.
    private func service(
        _ source: any SessionDataTaskDataSource, after bursts: Recorder<Void>? = nil
    ) -> WebService {
        let authenticator = TokenAuthenticator(token: .init("0")) { [made] _ in
            let number = made.withLock { made in
                made += 1
                return made
            }
            _ = await bursts?.first(number)
            return .init("\(number)")
        }
        return .scripted(source) { $0.authenticator = authenticator }
    }

    private func token(of exchange: ManualExchange) -> String? {
        exchange.request.authorizationValue.map { String($0.dropFirst("Bearer ".count)) }
    }

    @Test("If a refreshed token is revoked as well, no task fails")
    func twice() async throws {
        let source = ManualDataSource()
        let bursts = Recorder<Void>()
        let service = service(source, after: bursts)
        let tasks = (0..<100).map { _ in service.GET("/") }
        for exchange in await source.exchanges.first(100) { exchange.answer("", status: 401) }
        bursts.append(())
        let seconds = await source.exchanges.first(200)[100...]
        for exchange in seconds.prefix(80) { exchange.answer() }
        for exchange in seconds.dropFirst(80) { exchange.answer("", status: 401) }
        bursts.append(())
        for exchange in await source.exchanges.first(220)[200...] {
            #expect(token(of: exchange) == "2")
            exchange.answer()
        }
        for task in tasks { #expect(try await task.json == [:]) }
        #expect(made.withLock { $0 } == 2)
    }

    @Test("A rejected request that was sent before accepted ones is sent again")
    func outOfOrder() async throws {
        let source = ManualDataSource()
        let service = service(source)
        let tasks = (0..<100).map { _ in service.GET("/") }
        let firsts = await source.exchanges.first(100)
        for exchange in firsts.dropFirst(20) { exchange.answer() }
        for exchange in firsts.prefix(20) { exchange.answer("", status: 401) }
        // The token may be valid, since the server accepted it in later requests.
        let seconds = await source.exchanges.first(120)[100...]
        for exchange in seconds {
            #expect(token(of: exchange) == "0")
            exchange.answer("", status: 401)
        }
        for exchange in await source.exchanges.first(140)[120...] {
            #expect(token(of: exchange) == "1")
            exchange.answer()
        }
        for task in tasks { #expect(try await task.json == [:]) }
        #expect(made.withLock { $0 } == 1)
    }

    @Test("A revocation at any time fails no task, in any order of responses")
    func race() async throws {
        for round in 0..<Sanitizer.rounds(50, sanitized: 10) {
            let (count, made) = (Lock(0), Lock(0))
            let source = ManualDataSource { exchange in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                let isGood =
                    exchange.request.authorizationValue == "Bearer new"
                    || number <= round * 2 && exchange.request.authorizationValue == "Bearer old"
                DispatchQueue.global().async { exchange.answer(status: isGood ? 200 : 401) }
            }
            let authenticator = TokenAuthenticator(token: .init("old")) { _ in
                made.withLock { $0 += 1 }
                return .init("new")
            }
            let service = WebService.scripted(source) { $0.authenticator = authenticator }
            let tasks = (0..<100).map { service.GET("/\($0 % 10)") }
            for task in tasks { #expect(try await task.json == [:]) }
            #expect(made.withLock { $0 } == 1)
        }
    }
}

extension URLRequest {
    fileprivate var authorizationValue: String? { value(forHTTPHeaderField: "Authorization") }
}
