#if os(Linux) && canImport(Glibc)
    import Foundation
    import LoopbackServer
    import TestSupport
    import Testing

    @testable import Swallow

    @Suite("Bodies over libcurl", .enabled(if: CurlDataSource.isAvailable))
    struct StreamingTransportTests {
        private let server: LoopbackServer
        private let service: WebService

        init() throws {
            server = try LoopbackServer()
            service = .test(CurlDataSource(), base: server.baseURLString)
        }

        @Test("A body of any size comes whole, and only a little of it waits for its reader")
        func backPressure() async throws {
            let size = 64 * 1024 * 1024
            // Otherwise much may be here before the body is claimed.
            var service = service
            service.startTasksImmediately = false
            let task = service.GET("/bytes/\(size)")
            let body = task.body
            var read = 0
            var mostWaiting: Int64 = 0
            for try await part in body {
                read += part.count
                // Time for the sender to go on, if it may.
                for _ in 0..<20 { await Task.yield() }
                mostWaiting = max(mostWaiting, task.progress.transfer.received - Int64(read))
            }
            #expect(read == size)
            // Less than 1 MB as a rule; on a busy machine more may come while a thread that calls resume() isn't given any
            // time, for only after that the data task is told to pause.
            #expect(mostWaiting < size / 4)
        }

        @Test("Lines and head come from a body in chunks")
        func lines() async throws {
            let task = service.GET("/chunked/1000")
            #expect(try await task.head.statusCode == 200)
            var count = 0
            for try await line in task.lines {
                #expect(line == "chunk \(count)")
                count += 1
            }
            #expect(count == 1000)
            #expect(task.metrics != nil)
        }

        @Test("Leaving a loop early closes what it read, and the next request reads its own")
        func leaving() async throws {
            for _ in 0..<5 {
                for try await _ in service.GET("/bytes/4000000").body { break }
                #expect(try await service.GET("/bytes/3").data == Data([0, 1, 2]))
            }
        }

        @Test("responseStream gets every byte, in order")
        func responseStream() async throws {
            let received = Lock(Data())
            let task = service.GET("/bytes/500000").responseStream(.utility) { part in
                received.withLock { $0 += part }
            }
            _ = try await task.data
            #expect(received.withLock { $0 } == Data((0..<500_000).map { UInt8($0 % 251) }))
        }
    }
#endif
