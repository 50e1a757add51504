#if os(Linux) && canImport(Glibc)
    import Foundation
    import Testing

    @testable import CurlEngine

    @Suite("The queue of a loop's requests", .enabled(if: CurlLibrary.isAvailable))
    struct CurlQueueValueTests {
        private var queue = {
            var configuration = EngineConfiguration()
            configuration.connectionsPerHost = 1
            return CurlQueue(configuration)
        }()

        private let loop = EngineLoop(EngineConfiguration())

        private func place(at host: CurlQueue.Host, idleTimeout: UInt64 = 1) throws -> CurlQueue.Waiting {
            CurlQueue.Waiting(
                EngineTransfer(on: loop), try CurlRequest(url: "http://a"), at: host, 0,
                idleTimeout: idleTimeout)
        }

        private mutating func host(_ url: String) throws -> CurlQueue.Host {
            let host = queue.host(of: try CurlRequest(url: url))
            return try #require(host)
        }

        @Test("The time in which a waiting transfer is paused doesn't count for its timeout")
        mutating func suspended() throws {
            let host = try host("http://a")
            #expect(queue.enter(host) && !queue.enter(host))
            let place = try place(at: host, idleTimeout: 10)
            queue.add(place)
            #expect(queue.deadline == 10)
            queue.suspend(place)
            #expect(queue.deadline == CurlClock.never && queue.takeLate(1000).isEmpty)
            queue.proceed(place, 100)
            queue.proceed(place, 105)
            #expect(queue.deadline == 110 && queue.takeLate(109).isEmpty)
            #expect(queue.takeLate(110).map(ObjectIdentifier.init) == [ObjectIdentifier(place)])
            queue.leave(host)
            #expect(queue.take() == nil && queue.enter(host))
        }

        @Test("A paused transfer is skipped, and receives the first free connection after it is resumed")
        mutating func turns() throws {
            let host = try host("http://a")
            #expect(queue.enter(host))
            let (suspended, next) = (try place(at: host), try place(at: host))
            queue.add(suspended)
            queue.add(next)
            for _ in 0..<100 {
                queue.proceed(suspended, 0)
                queue.suspend(suspended)
                queue.suspend(suspended)
            }
            queue.leave(host)
            let taken = queue.take()
            #expect(taken === next)
            queue.leave(host)
            #expect(queue.take() == nil)
            queue.proceed(suspended, 0)
            let last = queue.take()
            #expect(last === suspended)
            #expect(queue.take() == nil && !queue.enter(host))
            queue.leave(host)
            let gone = try place(at: host)
            #expect(queue.enter(host))
            queue.add(gone)
            queue.suspend(gone)
            queue.remove(gone)
            queue.leave(host)
            #expect(queue.take() == nil && queue.enter(host))
        }

        @Test("A queue that is released while transfers wait releases its hosts and transfers")
        mutating func released() throws {
            weak var weakHost: CurlQueue.Host?
            weak var weakTransfer: EngineTransfer?
            do {
                var configuration = EngineConfiguration()
                configuration.connectionsPerHost = 1
                var queue = CurlQueue(configuration)
                for url in ["http://a", "http://a"] {
                    let host = queue.host(of: try CurlRequest(url: url))
                    let found = try #require(host)
                    let place = try place(at: found)
                    (weakHost, weakTransfer) = (found, place.transfer)
                    if !queue.enter(found) { queue.add(place) }
                }
                #expect(weakHost != nil && weakTransfer != nil)
                #expect(queue.removeAll().count == 1)
            }
            #expect(weakHost == nil && weakTransfer == nil)
        }

        @Test(
            "A free connection is passed to the next transfer of its own host, even if other transfers have left"
        )
        mutating func places() throws {
            let hosts = [try host("http://a"), try host("http://b")]
            for host in hosts { #expect(queue.enter(host)) }
            for round in 0..<100 {
                var waiting: [CurlQueue.Waiting] = []
                for number in 0..<3 {
                    // The place is released immediately, so that the next one may have the same address.
                    do {
                        let gone = try place(at: hosts[0])
                        queue.add(gone)
                        queue.remove(gone)
                    }
                    let host = (round + number) % 2
                    let place = try place(at: hosts[host])
                    queue.add(place)
                    waiting.append(place)
                }
                while !waiting.isEmpty {
                    for host in hosts {
                        queue.leave(host)
                        if let next = queue.take() {
                            #expect(next.host === host)
                            waiting.removeAll { $0 === next }
                        } else {
                            #expect(queue.enter(host))
                        }
                    }
                }
            }
        }
    }
#endif
