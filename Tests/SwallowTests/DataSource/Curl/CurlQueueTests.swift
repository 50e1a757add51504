#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    @testable import Swallow
    import TestSupport
    import Testing

    /// The data source has one connection to the host, and the first request on it never completes.
    @Suite("Requests that wait for a connection", .enabled(if: CurlDataSource.isAvailable))
    struct CurlQueueTests {
        private let server: LoopbackServer
        private let source: CurlDataSource
        private let first: Call

        init() async throws {
            server = try LoopbackServer()
            var configuration = CurlDataSource.Configuration()
            configuration.connectionsPerHost = 1
            source = CurlDataSource(configuration: configuration)
            first = Call(try server.request("/fault/stall"), source)
            first.task.resume()
            _ = await server.request(at: 0)
        }

        private func wait(_ path: String, _ server: LoopbackServer? = nil, timeout: TimeInterval = 1e6) throws
            -> Call
        {
            var request = try (server ?? self.server).request(path)
            request.timeoutInterval = timeout
            let call = Call(request, source)
            call.task.resume()
            return call
        }

        /// Cancels the first request, so the connection is free.
        private func end() async {
            first.task.cancel()
            #expect(await first.outcome.code == .cancelled)
        }

        @Test("Waiting requests are sent in order, except cancelled ones")
        func order() async throws {
            let calls = try (0..<40).map { try wait("/bytes/\($0)") }
            let cancelled = Set([0, 1, 7, 8, 9, 39] + (12..<36))
            for index in cancelled { calls[index].task.cancel() }
            for index in cancelled { #expect(await calls[index].outcome.code == .cancelled) }
            #expect(server.requests.count == 1)
            await end()
            let rest = calls.indices.filter { !cancelled.contains($0) }
            for index in rest { #expect(await calls[index].outcome.data?.count == index) }
            #expect(server.requests.dropFirst().map(\.target) == rest.map { "/bytes/\($0)" })
        }

        @Test("Requests to other hosts don't wait")
        func otherHost() async throws {
            let other = try LoopbackServer()
            let waiting = try wait("/bytes/1")
            #expect(try await wait("/bytes/2", other).outcome.data?.count == 2)
            await end()
            #expect(await waiting.outcome.data?.count == 1)
        }

        @Test("Waiting counts as time without a byte, and a request that waited too long is never sent")
        func timeout() async throws {
            let patient = try wait("/bytes/1")
            let late = try wait("/bytes/2", timeout: 0.05)
            #expect(await late.outcome.code == .timedOut)
            await end()
            #expect(await patient.outcome.data?.count == 1)
            #expect(server.requests.map(\.target) == ["/fault/stall", "/bytes/1"])
        }

        @Test("A request that is suspended while it waits is sent after it is resumed")
        func suspended() async throws {
            let (early, late) = (try wait("/bytes/1"), try wait("/bytes/2"))
            early.task.suspend()
            early.task.resume()
            late.task.suspend()
            await end()
            #expect(await early.outcome.data?.count == 1)
            late.task.resume()
            #expect(await late.outcome.data?.count == 2)
        }

        @Test("A request that is suspended while it waits lets later requests pass")
        func passing() async throws {
            let suspended = try wait("/bytes/1")
            await pass()
            suspended.task.suspend()
            await pass()
            let next = try wait("/bytes/2")
            await pass()
            await end()
            #expect(await next.outcome.data?.count == 2)
            #expect(server.requests.map(\.target) == ["/fault/stall", "/bytes/2"])
            suspended.task.resume()
            #expect(await suspended.outcome.data?.count == 1)
        }

        @Test("Cancelling requests to several hosts doesn't affect the connections of other requests")
        func cancelledEverywhere() async throws {
            let others = try (0..<3).map { _ in try LoopbackServer() }
            var stalled: [Call] = []
            for other in others {
                stalled.append(try wait("/fault/stall", other))
                _ = await other.request(at: 0)
            }
            var rest: [Call] = []
            for round in 0..<60 {
                rest.append(try wait("/bytes/1", others[round % 3]))
                // The call is released, so that the next one may have its address.
                do {
                    let gone = try wait("/bytes/2", others[(round + 1) % 3])
                    await pass()
                    gone.task.cancel()
                }
                if round.isMultiple(of: 5) { rest.remove(at: round / 2 % rest.count).task.cancel() }
                await pass()
            }
            for call in stalled { call.task.cancel() }
            for call in rest { #expect(await call.outcome.data?.count == 1) }
            for other in others { #expect(try await wait("/bytes/3", other).outcome.data?.count == 3) }
            await end()
        }

        /// Returns after the loop has handled all earlier events.
        private func pass() async {
            await withCheckedContinuation { continuation in
                _ = source.loop.visitCookies { _ in continuation.resume() }
            }
        }

        @Test("Waiting requests are cancelled and not sent when the data source shuts down")
        func shutDown() async throws {
            let waiting = try (0..<200).map { try wait("/bytes/\($0)") }
            await source.shutDown(within: .zero)
            for call in waiting { #expect(await call.outcome.code == .cancelled) }
            #expect(await first.outcome.code == .cancelled)
            #expect(server.requests.count == 1)
        }
    }
#endif
