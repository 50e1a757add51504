#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import Swallow
    import TestSupport
    import Testing

    @Suite("CurlDataSource's configuration", .enabled(if: CurlDataSource.isAvailable))
    struct CurlConfigurationTests {
        private let server: LoopbackServer

        init() throws {
            server = try LoopbackServer()
        }

        private func source(
            _ configure: (inout CurlDataSource.Configuration) -> Void
        ) -> CurlDataSource {
            var configuration = CurlDataSource.Configuration()
            configure(&configuration)
            return CurlDataSource(configuration: configuration)
        }

        @Test(
            "A body that exceeds maximumResponseSize fails",
            arguments: ["/bytes/100001", "/chunked/100000"])
        func maximumSize(path: String) async throws {
            let limited = source { $0.maximumResponseSize = 100_000 }
            #expect(try await server.get(path, limited).code == .dataLengthExceedsMaximum)
            #expect(try await server.get("/bytes/100000", limited).data?.count == 100_000)
        }

        @Test("maximumResponseSize applies to the decompressed size")
        func maximumUnpacked() async throws {
            let limited = source { $0.maximumResponseSize = 10 }
            #expect(try await server.get("/gzip", limited).code == .dataLengthExceedsMaximum)
        }

        @Test("The idle timeout fails a stalled response, but not a slow one")
        func idleTimeout() async throws {
            let impatient = source { $0.idleTimeout = .milliseconds(100) }
            #expect(try await server.get("/fault/stall", impatient).code == .timedOut)
            // All chunks together take longer than the timeout, and each one takes a twentieth of it. A slow
            // machine needs more time, so a longer timeout has to suffice there.
            var drip: Call.Outcome?
            for limit in [1, 4, 16] where drip?.data == nil {
                let patient = source { $0.idleTimeout = .seconds(limit) }
                drip = try await server.get("/drip?chunks=25&bytes=1&every=\(50 * limit)", patient)
            }
            #expect(drip?.data?.count == 25)
        }

        @Test("The total timeout includes slow bodies and redirects")
        func totalTimeout() async throws {
            let limited = source { $0.totalTimeout = .milliseconds(150) }
            #expect(try await server.get("/drip?chunks=1000000&bytes=1&every=10", limited).code == .timedOut)
            #expect(try await server.get("/redirect-to?url=/fault/stall", limited).code == .timedOut)
        }

        @Test("If the total timeout has passed, nothing is sent")
        func noTimeLeft() async throws {
            let limited = source { $0.totalTimeout = .zero }
            #expect(try await server.get("/json", limited).code == .timedOut)
            #expect(server.requests.isEmpty)
        }

        @Test("Large bodies don't share memory that is still in use")
        func largeBodies() async throws {
            let source = source { _ in }
            let expected = try #require(try await server.get("/bytes/300000", source).data)
            var kept: [Data] = []
            for count in 0..<12 {
                var body = try #require(try await server.get("/bytes/300000", source).data)
                #expect(body == expected)
                body[0] = UInt8(count)
                if count.isMultiple(of: 3) { kept.append(body) }
            }
            #expect(kept.map(\.first) == [0, 3, 6, 9])
            #expect(kept.allSatisfy { $0.dropFirst() == expected.dropFirst() })
        }

        @Test("A request that waits for a connection can be cancelled, and the others continue")
        func connectionLimit() async throws {
            let single = source { $0.connectionsPerHost = 1 }
            let stalled = Call(try server.request("/fault/stall"), single)
            stalled.task.resume()
            _ = await server.request(at: 0)
            let waiting = (0..<3).map { _ in try? Call(server.request("/json"), single) }.compactMap { $0 }
            for call in waiting { call.task.resume() }
            waiting[1].task.cancel()
            #expect(await waiting[1].outcome.code == .cancelled)
            #expect(server.requests.count == 1)
            stalled.task.cancel()
            #expect(await waiting[0].outcome.error == nil)
            #expect(await waiting[2].outcome.error == nil)
            #expect(server.connectionCount == 2)
        }

        @Test("A request can be cancelled while it connects, and connecting fails after its timeout")
        func connecting() async throws {
            let isConnecting = Event()
            let silent = try RawServer { connection in
                isConnecting.happen()
                connection.waitForEnd()
            }
            // The TLS handshake is never answered.
            let url = try #require(URL(string: "https://127.0.0.1:\(silent.port)/"))
            let request = URLRequest(url: url, timeoutInterval: 1_000_000)
            let call = Call(request, source { $0.connectTimeout = .seconds(1_000_000) })
            call.task.resume()
            await isConnecting.wait()
            call.task.cancel()
            #expect(await call.outcome.code == .cancelled)
            let limited = source { $0.connectTimeout = .milliseconds(100) }
            #expect(await server.send(request, limited).code == .timedOut)
        }

        @Test("The configuration sets user agent, addresses and proxy")
        func route() async throws {
            let named = source {
                $0.userAgent = "Own/2"
                $0.resolve = ["service.test:\(server.port):127.0.0.1"]
            }
            let request = URLRequest(
                url: try #require(URL(string: "http://service.test:\(server.port)/echo")))
            #expect(await server.send(request, named).json["headers"]["user-agent"] == "Own/2")
            let proxied = source { $0.proxy = .url(server.baseURLString) }
            let foreign = URLRequest(url: try #require(URL(string: "http://service.test/echo?a=1")))
            #expect(await server.send(foreign, proxied).json["target"] == "http://service.test/echo?a=1")
        }

        @Test("An option that this libcurl doesn't support fails the request with .invalidRequest")
        func unknownOption() async throws {
            let own = source { $0.dnsServers = ["127.0.0.1"] }
            let error = try await server.get("/json", own).error
            #expect(error == nil || (error as? ServiceError)?.reason == .invalidRequest)
            let unreadable = source { $0.tls.certificateAuthorityFile = "/nonexistent" }
            #expect(try await server.get("/json", unreadable).error == nil)
        }

        @Test(
            "There is one standard data source, and it is CurlDataSource unless SWALLOW_TRANSPORT is urlsession"
        )
        func standard() {
            let isCurl = WebService.standardDataSource is CurlDataSource
            let choice = ProcessInfo.processInfo.environment["SWALLOW_TRANSPORT"]
            #expect(isCurl == (choice?.lowercased() != "urlsession"))
            #expect(
                WebService.standardDataSource as AnyObject === WebService.standardDataSource as AnyObject)
        }
    }
#endif
