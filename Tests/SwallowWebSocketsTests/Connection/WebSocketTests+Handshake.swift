#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import Swallow
    import SwallowTesting
    import TestSupport
    import Testing
    import WebSocketServer

    @testable import SwallowWebSockets

    extension WebSocketTests {
        @Test("The handshake is a request of the service")
        func handshakeRequest() async throws {
            let server = try LoopbackServer.webSockets(extraHeaders: [("Set-Cookie", "seen=1")]) { $0.echo() }
            var service = WebService.socketTest(server, path: "/v1")
            service.configure {
                $0.headers["X-App"] = "chat"
                $0.acceptableContentTypes = ["application/json"]
            }
            let socket = service.webSocket(
                "/feed", protocols: ["v1", "v2"], parameters: ["room": 7], options: [.header("X-Call", "1")])
            let head = try await socket.head
            #expect(head.statusCode == 101 && socket.subprotocol == "v2")
            let request = await server.request(at: 0)
            #expect(request.target == "/v1/feed?room=7")
            #expect(request.header("X-App") == "chat" && request.header("X-Call") == "1")
            #expect(request.header("Transfer-Encoding") == nil && request.header("Expect") == nil)
            let next = service.webSocket("/feed")
            _ = try await next.head
            #expect(await server.request(at: 1).header("Cookie") == "seen=1")
        }

        @Test("A rejected handshake is an error with the status and the body")
        func rejected() async throws {
            let server = try LoopbackServer.webSockets(rejecting: { _ in .text("full", status: 503) }) { _ in
            }
            let socket = WebService.socketTest(server).webSocket("/feed")
            for operation in [
                { _ = try await socket.head }, { try await socket.send(.text("late")) },
                { for try await _ in socket.messages {} },
            ] as [@Sendable () async throws -> Void] {
                let error = await #expect(throws: ServiceError.self) { try await operation() }
                #expect(error?.reason == .unacceptableStatus && error?.statusCode == 503)
                #expect(error?.text == "full")
            }
        }

        @Test("A success that isn't an upgrade is an error")
        func notUpgraded() async throws {
            let server = try LoopbackServer.webSockets(rejecting: { _ in .text("page") }) { _ in }
            let socket = WebService.socketTest(server).webSocket("/feed")
            let error = await #expect(throws: ServiceError.self) { try await socket.head }
            #expect(error?.reason == .unacceptableStatus && error?.statusCode == 200)
        }

        @Test("A token is refreshed once, and the handshake is sent again")
        func tokenRefresh() async throws {
            let server = try LoopbackServer.webSockets(rejecting: { request in
                request.header("Authorization") == "Bearer new" ? nil : .text("who?", status: 401)
            }) { $0.echo() }
            var service = WebService.socketTest(server)
            let authenticator = TokenAuthenticator(identity: "me", token: .init("old")) { _ in .init("new") }
            service.configure { $0.authenticator = authenticator }
            let socket = service.webSocket("/feed")
            try await socket.send(.text("hello"))
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == .text("hello"))
            #expect(server.requests.count == 2)
        }

        @Test("A handshake whose refreshed token is rejected too is an error with the status and the body")
        func rejectedToken() async throws {
            let server = try LoopbackServer.webSockets(
                rejecting: { _ in .text("who?", status: 401) }, { _ in })
            var service = WebService.socketTest(server)
            let refreshes = Recorder<Int>()
            let authenticator = TokenAuthenticator(identity: "me", token: .init("old")) { _ in
                refreshes.append(1)
                return .init("new")
            }
            service.configure { $0.authenticator = authenticator }
            let socket = service.webSocket("/feed")
            let error = await #expect(throws: ServiceError.self) { try await socket.head }
            #expect(error?.statusCode == 401 && error?.text == "who?")
            #expect(
                server.requests.compactMap { $0.header("Authorization") } == ["Bearer old", "Bearer new"])
            #expect(refreshes.values.count == 1)
        }

        @Test(
            "Redirects are followed, also to another origin, or to one that a policy chooses",
            arguments: [false, true])
        func redirects(isChosen: Bool) async throws {
            let target = try LoopbackServer.webSockets { $0.echo() }
            let there = target.baseURLString + "/there"
            let location = isChosen ? "/here" : there
            let server = try LoopbackServer.webSockets(rejecting: { _ in .redirect(to: location) }) { _ in }
            let policy = RedirectPolicy.custom { _, proposed in
                var next = proposed
                next.url = URL(string: there)
                return next
            }
            let redirects: [Request.Option] = isChosen ? [.redirects(policy)] : []
            let socket = WebService.socketTest(server).webSocket(
                "/feed", protocols: ["token.secret"],
                options: [.header("Authorization", "secret")] + redirects)
            try await socket.send(.text("hello"))
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == .text("hello"))
            let request = await target.request(at: 0)
            #expect(request.header("Authorization") == nil && request.header("Sec-WebSocket-Protocol") == nil)
        }

        @Test("If the redirect policy follows no redirects, a redirect is an error")
        func redirectPolicy() async throws {
            let server = try LoopbackServer.webSockets(rejecting: { _ in .redirect(to: "/there") }) { _ in }
            let socket = WebService.socketTest(server).webSocket("/feed", options: [.redirects(.doNotFollow)])
            let error = await #expect(throws: ServiceError.self) { try await socket.head }
            #expect(error?.statusCode == 302)
            #expect(server.requests.count == 1)
        }

        @Test("The log has the handshake, and the metrics of the connection after its end")
        func log() async throws {
            let server = try LoopbackServer.webSockets { $0.echo() }
            var service = WebService.socketTest(server)
            let (requests, responses) = (Recorder<String>(), Recorder<LogEvent.Response>())
            service.log = { event in
                switch event {
                case .requestSent(let request): requests.append(request.url)
                case .responseReceived(_, let response): responses.append(response)
                default: break
                }
            }
            let socket = service.webSocket("/feed")
            try await socket.send(.text("hello"))
            for try await _ in socket.messages { socket.close() }
            let response = await responses.first(1)[0]
            #expect(requests.values == [server.baseURLString + "/feed"])
            #expect(response.statusCode == 101)
            // The two frames of the server have a header of two bytes each. One has a text, the other a code.
            #expect(response.byteCount == 2 + 5 + 2 + 2)
            #expect(response.metrics?.responseStart != nil)
        }

        @Test("A timeout limits the handshake, but not the open WebSocket")
        func timeout() async throws {
            let clock = ManualClock()
            let connect = { (server: LoopbackServer) in
                var service = WebService.socketTest(server)
                service.clock = clock
                return service.webSocket("/feed", options: [.timeout(.seconds(10))])
            }
            let server = try LoopbackServer.webSockets { $0.echo() }
            let socket = connect(server)
            _ = try await socket.head
            clock.advance(by: .seconds(3600))
            try await socket.send(.text("still open"))
            var messages = socket.messages.makeAsyncIterator()
            #expect(try await messages.next() == .text("still open"))

            let silent = try LoopbackServer(streams: { _ in .stall }) { _ in .stall }
            let unanswered = connect(silent)
            _ = await silent.request(at: 0)
            clock.advance(by: .seconds(10))
            let error = await #expect(throws: ServiceError.self) { try await unanswered.head }
            #expect(error?.reason == .timedOut)
        }

        @Test("A server that doesn't prove that it read the key is rejected")
        func wrongAccept() async throws {
            let server = try LoopbackServer { _ in
                .upgrade(
                    headers: [
                        ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", "no"),
                    ]
                ) { _ = $0.receive() }
            } _: { _ in
                .respond(.status(404))
            }
            let socket = WebService.socketTest(server).webSocket("/feed")
            let error = await #expect(throws: ServiceError.self) { try await socket.head }
            #expect(error?.reason == .invalidResponse)
            await server.connectionsClosed()
        }
    }
#endif
