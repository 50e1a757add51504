#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import Glibc
    import LoopbackServer
    import TestSupport
    import Testing

    @testable import Swallow

    @Suite("TLS and HTTP/2: bodies", .enabled(if: Nginx.isThere, "run by .ci/tls swift test --filter TLS"))
    struct StreamTLSTests {
        private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
        private let service = Nginx.service()

        /// The number of the service's connection.
        private var connection: String {
            get async throws {
                let words = try await service.GET("/connection").text.split(separator: " ")
                #expect(words.dropFirst().first == "HTTP/2.0")
                return words.first.map(String.init) ?? ""
            }
        }

        private func path(_ port: UInt16, _ path: String = "/") -> Request.Path {
            Request.Path("/to/\(port)\(path)")
        }

        @Test(
            "Leaving a loop early closes the server's connection, even if no other request is sent",
            .timeLimit(.minutes(10))
        )
        func leaving() async throws {
            let closed = Recorder<Int>()
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(Self.head + "\r\n")
                closed.append(connection.sendUntilClosed())
            }
            for count in 1...3 {
                for try await part in service.GET(path(server.port)).body {
                    #expect(!part.isEmpty)
                    break
                }
                // nginx closes its connection to the server when the stream is reset. Otherwise it would wait
                // an hour.
                _ = await closed.first(count)
            }
        }

        @Test("Leaving a loop early resets that stream, and the connection's other streams continue")
        func leavingOne() async throws {
            let (mayContinue, closed) = (DispatchSemaphore(value: 0), Recorder<Int>())
            let staying = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(Self.head + "Content-Length: 2\r\n\r\n1")
                mayContinue.wait()
                connection.send("2")
                connection.waitForEnd()
            }
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(Self.head + "\r\n")
                closed.append(connection.sendUntilClosed())
            }
            let first = try await connection
            let slow = service.GET(path(staying.port))
            var parts = slow.body.makeAsyncIterator()
            #expect(try await parts.next() == Data("1".utf8))
            for count in 1...3 {
                for try await _ in service.GET(path(server.port)).body { break }
                #expect(try await connection == first)
                _ = await closed.first(count)
            }
            mayContinue.signal()
            #expect(try await parts.next() == Data("2".utf8))
            #expect(try await parts.next() == nil)
        }

        @Test("Leaving a stream early takes no bytes from other streams of the connection")
        func neighbours() async throws {
            var sums: [Int] = []
            for _ in 0..<4 {
                async let whole = service.GET("/2m").data
                for try await _ in service.GET("/2m").body { break }
                for try await part in service.GET("/2m").body.prefix(1) { sums.append(part.count) }
                #expect(try await whole == Data(repeating: UInt8(ascii: "b"), count: 2_097_152))
            }
            #expect(sums.allSatisfy { $0 > 0 })
        }

        @Test("A reader that stops reading stops the sender of its stream, but no other stream")
        func backPressure() async throws {
            let (sent, limit) = (Recorder<Int>(), 256 * 1024 * 1024)
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(Self.head + "Content-Length: \(limit)\r\n\r\n")
                sent.append(connection.sendUntilStuck(limit))
                connection.waitForEnd()
            }
            let first = try await connection
            let task = service.GET(path(server.port))
            var parts = task.body.makeAsyncIterator()
            #expect(try await parts.next() != nil)
            // The client's window, and the buffers of the system and of nginx, limit the number of bytes.
            let stuck = await sent.first(1)[0]
            #expect(stuck < 64 * 1024 * 1024)
            for _ in 0..<3 { #expect(try await service.GET("/2m").data.count == 2_097_152) }
            #expect(try await connection == first)
            task.cancel()
        }

        @Test("A body whose reader is slow is complete")
        func slowReader() async throws {
            var count = 0
            for try await part in service.GET("/2m").body {
                count += part.count
                if count < 200_000 { _ = try await service.GET("/2k").data }
            }
            #expect(count == 2_097_152)
        }

        @Test("The trailer fields are available after the body")
        func trailers() async throws {
            let task = service.GET("/trailers")
            var count = 0
            for try await part in task.body {
                count += part.count
            }
            #expect(count == 2048)
            #expect(task.trailers["X-Sum"] == "2048")
            #expect(task.metrics?.protocolName == "h2")
            let whole = service.GET("/trailers")
            #expect(try await whole.data.count == 2048)
            #expect(whole.trailers["X-Sum"] == "2048")
        }

        @Test("Bodies are uploaded from memory, files, streams and sequences")
        func uploads() async throws {
            let server = try LoopbackServer()
            let bytes = LoopbackServer.octets(5_000_000)
            let file = try TemporaryFile(bytes)
            let options: [Request.Option] = [
                .body(bytes, contentType: "application/octet-stream"),
                .body(bytes.prefix(1000), contentType: "application/octet-stream"),
                .body(file: file.url),
                .body(stream: { InputStream(data: bytes) }, length: 5_000_000),
                .body(stream: { InputStream(data: bytes) }),
                .body(stream: MadeParts(count: 50, size: 100_000)),
                .multipart { $0.append(file: file.url, named: "film") },
            ]
            let reports = try await withThrowingTaskGroup(of: (Int, JSON).self) { group in
                for (index, option) in options.enumerated() {
                    group.addTask {
                        let task = service.POST(path(server.port, "/stream/report"), options: [option])
                        return (index, try await task.json)
                    }
                }
                return try await group.reduce(into: [Int: JSON]()) { $0[$1.0] = $1.1 }
            }
            let whole = LoopbackServer.checksum(bytes)
            for index in [0, 2, 3, 4] { #expect(reports[index]?["sum"].int == whole) }
            #expect(reports[1]?["sum"].int == LoopbackServer.checksum(bytes.prefix(1000)))
            #expect(reports[5]?["length"].int == 5_000_000)
            #expect((reports[6]?["length"].int ?? 0) > 5_000_000)
            #expect([0, 2, 3].allSatisfy { reports[$0]?["isChunked"].bool == false })
            #expect([4, 5].allSatisfy { reports[$0]?["isChunked"].bool == true })
        }

        @Test("A server that doesn't read pauses its upload, but no other request")
        func slowServer() async throws {
            let server = try LoopbackServer()
            let parts = MadeParts(count: 100_000, size: 10_000)
            let task = service.POST(path(server.port, "/stream/stall"), options: [.body(stream: parts)])
            _ = await parts.asked.first(30)
            for _ in 0..<3 { #expect(try await service.GET("/2m").data.count == 2_097_152) }
            task.cancel()
            #expect(await task.result.failure?.isCancelled == true)
            #expect(parts.asked.values.count < 3000)
        }

        @Test(
            "If the server resets a stream, the body fails once, after the bytes that arrived",
            arguments: ["Content-Length: 1000000", "Transfer-Encoding: chunked"])
        func reset(framing: String) async throws {
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                let bytes = framing.hasPrefix("T") ? "a\r\n0123456789\r\n" : "0123456789"
                connection.send(Self.head + framing + "\r\n\r\n" + bytes)
            }
            let first = try await connection
            let errors = Recorder<ServiceError>()
            let task = service.GET(path(server.port)).responseError(.utility) { errors.append($0) }
            var read = Data()
            let error = await #expect(throws: ServiceError.self) {
                for try await part in task.body { read += part }
            }
            #expect(String(decoding: read, as: UTF8.self) == "0123456789")
            #expect(error?.code == .networkConnectionLost)
            #expect(error?.response?.statusCode == 200)
            #expect(await errors.first(1).map(\.reason) == [error?.reason])
            #expect(try await connection == first)
        }

        @Test("Requests that a GOAWAY leaves without a response are sent again over another connection")
        func goAway() async throws {
            let (brief, server) = (Nginx.service("SWALLOW_TLS_BRIEF_PORT"), try LoopbackServer())
            let bytes = LoopbackServer.octets(300_000)
            let file = try TemporaryFile(bytes)
            let bodies: [Request.Option] = [
                .body(bytes, contentType: "application/octet-stream"), .body(file: file.url),
                .body(stream: { InputStream(data: bytes) }),
            ]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        let task = brief.PUT(
                            path(server.port, "/stream/report"), options: [bodies[number % bodies.count]])
                        let report = try await task.json
                        #expect(report["sum"].int == LoopbackServer.checksum(bytes))
                    }
                    group.addTask {
                        var count = 0
                        for try await part in brief.GET("/2m").body { count += part.count }
                        #expect(count == 2_097_152)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    extension RawConnection {
        /// Sends until the other side has closed the connection. Returns the number of bytes sent.
        fileprivate func sendUntilClosed() -> Int {
            let bytes = [UInt8](repeating: 0x61, count: 16 * 1024)
            var sent = 0
            while true {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return sent }
                sent += count
            }
        }
    }
#endif
