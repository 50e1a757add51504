#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    @testable import Swallow
    import TestSupport
    import Testing

    /// With one connection to a host, whose first request never ends by itself.
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

        /// Ends the first request, and with it the wait.
        private func end() async {
            first.task.cancel()
            #expect(await first.outcome.code == .cancelled)
        }

        @Test("They are sent in their order, but for those that were cancelled")
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

        @Test("Those to other hosts don't wait with them")
        func otherHost() async throws {
            let other = try LoopbackServer()
            let waiting = try wait("/bytes/1")
            #expect(try await wait("/bytes/2", other).outcome.data?.count == 2)
            await end()
            #expect(await waiting.outcome.data?.count == 1)
        }

        @Test("Waiting counts as time without a byte, and what has waited too long is never sent")
        func timeout() async throws {
            let patient = try wait("/bytes/1")
            let late = try wait("/bytes/2", timeout: 0.05)
            #expect(await late.outcome.code == .timedOut)
            await end()
            #expect(await patient.outcome.data?.count == 1)
            #expect(server.requests.map(\.target) == ["/fault/stall", "/bytes/1"])
        }

        @Test("One that is suspended while it waits goes on where it is resumed, whenever that is")
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

        @Test("One that is suspended while it waits lets those behind it pass")
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

        @Test("Whatever is cancelled at several hosts, none loses its connection")
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
                // It is freed, so that the next one may have its address.
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

        /// Returns once the loop has looked at all that came before.
        private func pass() async {
            await withCheckedContinuation { continuation in
                _ = source.loop.visitCookies { _ in continuation.resume() }
            }
        }

        @Test("The wait ends when the data source does, and none is sent then")
        func shutDown() async throws {
            let waiting = try (0..<200).map { try wait("/bytes/\($0)") }
            await source.shutDown(within: .zero)
            for call in waiting { #expect(await call.outcome.code == .cancelled) }
            #expect(await first.outcome.code == .cancelled)
            #expect(server.requests.count == 1)
        }
    }

    @Suite("The queue of a loop's requests", .enabled(if: CurlDataSource.isAvailable))
    struct CurlQueueValueTests {
        private let source = CurlDataSource()
        private var queue = {
            var configuration = CurlDataSource.Configuration()
            configuration.connectionsPerHost = 1
            return CurlQueue(configuration)
        }()

        /// A task and its request, of which nothing is sent.
        private func made(_ url: String) throws -> (task: CurlDataTask, request: CurlRequest) {
            let request = URLRequest(url: try #require(URL(string: url)))
            let owner = ExchangeDataTask(request, source) { _, _, _ in }
            let carrier = source.carrier(for: request, of: Hop(owner: owner, number: 0))
            return (try #require(carrier as? CurlDataTask), try CurlRequest(request, nil))
        }

        @Test("The time that a task is suspended doesn't count")
        mutating func suspended() throws {
            let (task, request) = try made("http://a")
            let found = queue.host(of: request)
            let host = try #require(found)
            #expect(queue.enter(host) && !queue.enter(host))
            queue.add(CurlQueue.Waiting(task, request, at: host, 0, idleLimit: 10))
            #expect(queue.limit == 10)
            queue.suspend(task)
            #expect(queue.limit == CurlClock.never && queue.takeLate(1000).isEmpty)
            queue.proceed(task, 100)
            queue.proceed(task, 105)
            #expect(queue.limit == 110 && queue.takeLate(109).isEmpty)
            #expect(queue.takeLate(110).map { ObjectIdentifier($0.task) } == [ObjectIdentifier(task)])
            queue.leave(host)
            #expect(queue.take() == nil && queue.enter(host))
        }

        @Test("A suspended task has no turn, and takes the first free connection once it goes on")
        mutating func turns() throws {
            let (suspended, request) = try made("http://a")
            let found = queue.host(of: request)
            let host = try #require(found)
            #expect(queue.enter(host))
            queue.add(CurlQueue.Waiting(suspended, request, at: host, 0, idleLimit: 1))
            let (next, second) = try made("http://a")
            queue.add(CurlQueue.Waiting(next, second, at: host, 0, idleLimit: 1))
            for _ in 0..<100 {
                queue.proceed(suspended, 0)
                queue.suspend(suspended)
                queue.suspend(suspended)
            }
            queue.leave(host)
            let taken = queue.take()
            #expect(taken?.task === next)
            queue.leave(host)
            #expect(queue.take() == nil)
            queue.proceed(suspended, 0)
            let last = queue.take()
            #expect(last?.task === suspended)
            #expect(queue.take() == nil && !queue.enter(host))
            queue.leave(host)
            let (gone, third) = try made("http://a")
            #expect(queue.enter(host))
            queue.add(CurlQueue.Waiting(gone, third, at: host, 0, idleLimit: 1))
            queue.suspend(gone)
            #expect(queue.remove(gone) === third)
            queue.leave(host)
            #expect(queue.take() == nil && queue.enter(host))
        }

        @Test("A queue that goes away while requests wait frees its hosts and tasks")
        mutating func released() throws {
            weak var weakHost: CurlQueue.Host?
            weak var weakTask: CurlDataTask?
            do {
                var configuration = CurlDataSource.Configuration()
                configuration.connectionsPerHost = 1
                var queue = CurlQueue(configuration)
                for url in ["http://a", "http://a"] {
                    let (task, request) = try made(url)
                    let host = queue.host(of: request)
                    let found = try #require(host)
                    if !queue.enter(found) {
                        queue.add(CurlQueue.Waiting(task, request, at: found, 0, idleLimit: 1))
                    }
                    (weakHost, weakTask) = (found, task)
                }
                #expect(weakHost != nil && weakTask != nil)
                #expect(queue.removeAll().count == 1)
            }
            #expect(weakHost == nil && weakTask == nil)
        }

        @Test("A connection goes to the next request of its own host, whatever has left meanwhile")
        mutating func places() throws {
            var hosts: [CurlQueue.Host] = []
            for url in ["http://a", "http://b"] {
                let found = queue.host(of: try made(url).request)
                hosts.append(try #require(found))
            }
            for host in hosts { #expect(queue.enter(host)) }
            for round in 0..<100 {
                var kept: [CurlDataTask] = []
                for number in 0..<3 {
                    // Freed at once, so that the next task may have its place in memory.
                    let gone = try made("http://a")
                    queue.add(CurlQueue.Waiting(gone.task, gone.request, at: hosts[0], 0, idleLimit: 1))
                    #expect(queue.remove(gone.task) === gone.request)
                    let host = (round + number) % 2
                    let (task, request) = try made("http://" + ["a", "b"][host])
                    queue.add(CurlQueue.Waiting(task, request, at: hosts[host], 0, idleLimit: 1))
                    kept.append(task)
                }
                while !kept.isEmpty {
                    for host in hosts {
                        queue.leave(host)
                        if let next = queue.take() {
                            #expect(next.place.host === host)
                            kept.removeAll { $0 === next.task }
                        } else {
                            #expect(queue.enter(host))
                        }
                    }
                }
            }
        }
    }
#endif
