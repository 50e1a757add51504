import Foundation
import LoopbackServer
import TestSupport
import Testing

import Swallow

@Suite("Bodies over the real transports")
struct StreamingTransportTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func service(_ contestant: Contestant) -> WebService {
        .test(contestant.source(), base: server.baseURLString)
    }

    #if os(Linux) && canImport(Glibc)
        // On Linux, URLSession can't pause a server.
        @Test("A large body is complete, and at most a megabyte of it waits for the reader")
        func backPressure() async throws {
            let size = 64 * 1024 * 1024
            // Otherwise, many bytes may arrive before the body has its sink.
            var service = service(.curl)
            service.startTasksImmediately = false
            let task = service.GET("/bytes/\(size)")
            let body = task.body
            var read = 0
            var mostWaiting: Int64 = 0
            for try await part in body {
                read += part.count
                // Yields, so that the sender continues unless something stops it.
                for _ in 0..<20 { await Task.yield() }
                mostWaiting = max(mostWaiting, task.progress.received - Int64(read))
            }
            #expect(read == size)
            #expect(mostWaiting < 1024 * 1024)
        }
    #endif

    @Test("The head and all lines of a chunked body arrive", arguments: Contestant.transports)
    func lines(contestant: Contestant) async throws {
        let task = service(contestant).GET("/chunked/1000")
        #expect(try await task.head.statusCode == 200)
        var count = 0
        for try await line in task.lines {
            #expect(line == "chunk \(count)")
            count += 1
        }
        #expect(count == 1000)
    }

    @Test(
        "After a loop that ended early, the next request receives its own body",
        arguments: Contestant.transports)
    func leaving(contestant: Contestant) async throws {
        let service = service(contestant)
        for _ in 0..<5 {
            for try await _ in service.GET("/bytes/4000000").body { break }
            #expect(try await service.GET("/bytes/3").data == Data([0, 1, 2]))
        }
    }

    @Test("responseStream receives every byte in order", arguments: Contestant.transports)
    func responseStream(contestant: Contestant) async throws {
        let received = Lock(Data())
        let task = service(contestant).GET("/bytes/500000").responseStream(.utility) { part in
            received.withLock { $0 += part }
        }
        _ = try await task.data
        #expect(received.withLock { $0 } == LoopbackServer.octets(500_000))
    }

    @Test(
        "If the connection is lost during a body, the loop throws after the bytes that arrived",
        arguments: Contestant.transports)
    func brokenOff(contestant: Contestant) async throws {
        var service = service(contestant)
        // The loop starts the task, so it receives the body from the beginning.
        service.startTasksImmediately = false
        let task = service.GET("/fault/truncated")
        var count = 0
        let error = await #expect(throws: ServiceError.self) {
            for try await part in task.body { count += part.count }
        }
        // On Linux, URLSession reports `.unknown`, and may not deliver the last bytes.
        #expect(error?.code == .networkConnectionLost || contestant == .urlSession && error?.code == .unknown)
        #expect(count > 0 || contestant == .urlSession)
    }

    @Test(
        "If the status isn't acceptable, the loop throws an error with the body",
        arguments: Contestant.transports)
    func refused(contestant: Contestant) async throws {
        let error = await #expect(throws: ServiceError.self) {
            for try await _ in service(contestant).GET("/status/404").body {}
        }
        #expect(error?.isNotFound == true)
        #expect(error?.text == "status 404")
    }

    @Test("A download that lost its connection is resumed and complete", arguments: Contestant.transports)
    func download(contestant: Contestant) async throws {
        let place = try DownloadPlace()
        let content = LoopbackServer.octets(400_000)
        let server = try LoopbackServer { request in
            let answer = LoopbackServer.Response.ranged(content, to: request, fields: [("ETag", "\"v1\"")])
            return .respond(request.header("Range") == nil ? answer.truncated(after: 150_000) : answer)
        }
        let service = WebService.test(contestant.source(), base: server.baseURLString)
        let option = Request.Option.download(to: place.target, resumes: true)
        #expect(await service.GET("/", options: [option]).result.failure?.code != nil)
        #expect(try await service.GET("/", options: [option]).content(as: URL.self) == place.target)
        #expect(try Data(contentsOf: place.target) == content)
        #expect(place.folder.names == ["target.bin"])
    }
}
