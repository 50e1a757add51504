#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import Swallow
    import TestSupport
    import Testing

    @Suite("CurlDataSource under load", .enabled(if: CurlDataSource.isAvailable))
    struct CurlStressTests {
        @Test("Tasks that many threads cancel, suspend and resume complete once")
        func storm() async throws {
            let server = try LoopbackServer(recordsRequests: false)
            let source = CurlDataSource()
            let paths = ["/json", "/redirect/2", "/bytes/100000", "/drip?chunks=3&bytes=10&every=1", "/gzip"]
            for round in 0..<Sanitizer.rounds(12, sanitized: 3) {
                let calls = try (0..<60).map { index in
                    Call(try server.request(paths[(index + round) % paths.count]), source)
                }
                await withTaskGroup(of: Void.self) { group in
                    for thread in 0..<4 {
                        group.addTask {
                            for (index, call) in calls.enumerated() {
                                switch (index &* 7 &+ thread &* 3 &+ round) % 5 {
                                case 0: call.task.suspend()
                                case 1, 2: call.task.resume()
                                case 3 where thread == 3: call.task.cancel()
                                default: await Task.yield()
                                }
                            }
                        }
                    }
                }
                for call in calls { call.task.resume() }
                for call in calls {
                    let outcome = await call.outcome
                    #expect(outcome.error == nil || outcome.code == .cancelled)
                }
                #expect(calls.allSatisfy { $0.answers == 1 })
            }
        }

        @Test("A task that is cancelled while its connection is refused completes once")
        func refused() async throws {
            let port = try ClosedPort()
            defer { withExtendedLifetime(port) {} }
            let source = CurlDataSource()
            for round in 0..<Sanitizer.rounds(300, sanitized: 50) {
                let call = Call(.to(port.baseURLString + "/"), source)
                call.task.resume()
                DispatchQueue.global().async {
                    for _ in 0..<round % 50 { sched_yield() }
                    call.task.cancel()
                }
                let code = await call.outcome.code
                #expect(code == .cancelled || code == .cannotConnectToHost)
            }
        }

        @Test("A body that is suspended and resumed many times is complete")
        func pausedBody() async throws {
            let server = try LoopbackServer(recordsRequests: false)
            let source = CurlDataSource()
            let expected = LoopbackServer.octets(3_000_000)
            for _ in 0..<Sanitizer.rounds(5, sanitized: 2) {
                let call = Call(try server.request("/bytes/3000000"), source)
                for _ in 0..<50 {
                    call.task.resume()
                    await Task.yield()
                    call.task.suspend()
                }
                call.task.resume()
                #expect(await call.outcome.data == expected)
            }
        }

        @Test("A thousand requests can wait concurrently")
        func thousandInFlight() async throws {
            let server = try LoopbackServer { _ in .delayed(.milliseconds(300), .json("{}")) }
            var configuration = CurlDataSource.Configuration()
            configuration.connectionsPerHost = Sanitizer.rounds(200, sanitized: 50)
            let source = CurlDataSource(configuration: configuration)
            let count = Sanitizer.rounds(1000, sanitized: 250)
            let calls = try (0..<count).map { _ in Call(try server.request("/"), source) }
            for call in calls { call.task.resume() }
            for call in calls { #expect(await call.outcome.error == nil) }
            #expect(server.connectionCount <= configuration.connectionsPerHost)
        }

        @Test("Ten thousand requests share few connections")
        func tenThousand() async throws {
            let server = try LoopbackServer(recordsRequests: false)
            let source = CurlDataSource()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        for _ in 0..<Sanitizer.rounds(625, sanitized: 60) {
                            let outcome = try await server.get("/json", source)
                            #expect(outcome.error == nil)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.connectionCount <= 64)
        }

        @Test("A data source that is released lets its tasks complete, then closes its connections")
        func shutdown() async throws {
            let server = try LoopbackServer()
            var source: CurlDataSource? = CurlDataSource()
            let calls = try (0..<20).compactMap { _ in
                try source.map { Call(try server.request("/delay/50"), $0) }
            }
            for call in calls { call.task.resume() }
            source = nil
            for call in calls { #expect(await call.outcome.error == nil) }
            await server.connectionsClosed()
        }

        @Test("A hundred data sources can be created and released")
        func manySources() async throws {
            let server = try LoopbackServer(recordsRequests: false)
            for _ in 0..<Sanitizer.rounds(100, sanitized: 30) {
                let source = CurlDataSource()
                #expect(try await server.get("/json", source).error == nil)
            }
            await server.connectionsClosed()
        }
    }
#endif
