#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import Glibc
    import LoopbackServer
    import TestSupport
    import Testing

    @testable import Swallow

    @Suite("Streams through CurlDataSource", .serialized)
    struct CurlStreamTests {
        private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
        private let source = CurlDataSource()

        @Test(
            "A gigabyte of zeros in a few bytes takes little memory while nobody reads",
            arguments: ["deflate", "gzip"])
        func bomb(coding: String) async throws {
            let bomb = Self.zeros(1024 * 1024 * 1024, coding)
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(
                    Self.head + "Content-Encoding: \(coding)\r\nContent-Length: \(bomb.count)\r\n\r\n")
                connection.send(bomb)
                connection.waitForEnd()
            }
            let before = Self.residentMemory
            var service = WebService.test(source, base: "http://127.0.0.1:\(server.port)")
            // Before a body is claimed, as much of it is taken as fits into memory.
            service.startTasksImmediately = false
            let task = service.GET("/")
            var parts = task.body.makeAsyncIterator()
            #expect(try await parts.next()?.allSatisfy { $0 == 0 } == true)
            // The transport's loop has had its turns: what may come is here.
            let other = try RawServer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            for _ in 0..<5 { #expect(try await other.get(source).text == "ok") }
            #expect(task.progress.received < 16 * 1024 * 1024)
            // The process's, so with what other tests have in memory.
            #expect(Self.residentMemory - before < 768 * 1024 * 1024)
            task.cancel()
            #expect(await task.result.failure?.isCancelled == true)
        }

        @Test("Zeros that are read come whole, in parts of bounded size")
        func unpacked() async throws {
            let size = 20_000_000
            let bomb = Self.zeros(size)
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(
                    Self.head + "Content-Encoding: deflate\r\nContent-Length: \(bomb.count)\r\n\r\n")
                connection.send(bomb)
                connection.waitForEnd()
            }
            let (count, largest) = (Lock(0), Lock(0))
            let recorder = Recorder<Call.Outcome>()
            let task = source.dataTask(with: try server.request()) { data, response, error in
                recorder.append(.init(data: data, response: response as? HTTPURLResponse, error: error))
            }
            task.stream { part in
                guard case .bytes(let bytes) = part else { return }
                count.withLock { $0 += bytes.count }
                largest.withLock { $0 = max($0, bytes.count) }
            }
            task.resume()
            let outcome = await recorder.first(1)[0]
            #expect(outcome.error == nil && outcome.data == Data())
            #expect(count.withLock { $0 } == size)
            #expect(largest.withLock { $0 } <= 512 * 1024)
        }

        @Test("maximumResponseSize is for bodies in memory, not for streamed ones")
        func maximumSize() async throws {
            var configuration = CurlDataSource.Configuration()
            configuration.maximumResponseSize = 1000
            let (source, server) = (CurlDataSource(configuration: configuration), try LoopbackServer())
            let call = StreamCall(try server.request("/bytes/300000"), source).streaming().resumed()
            #expect(await call.body.count == 300_000)
            let whole = Call(try server.request("/bytes/300000"), source)
            #expect(await whole.resumed().outcome.code == .dataLengthExceedsMaximum)
        }

        @Test("A body whose head says that it is too long for memory is refused then, with its head")
        func refusedAtHead() async throws {
            var configuration = CurlDataSource.Configuration()
            configuration.maximumResponseSize = 10_000
            // What follows the head never comes.
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(Self.head + "Content-Length: 10001\r\n\r\n0123456789")
                connection.waitForEnd()
            }
            let outcome = try await server.get(CurlDataSource(configuration: configuration))
            #expect(outcome.code == .dataLengthExceedsMaximum)
            #expect(outcome.error?.localizedDescription.contains("maximumResponseSize, 10000") == true)
            #expect(outcome.response?.statusCode == 200)
            let call = StreamCall(try server.request(), CurlDataSource(configuration: configuration))
            _ = await call.streaming().resumed().progress.first(2)
            #expect(call.streamed.count == 10)
            call.task.cancel()
        }

        @Test("Awaiting the head leaves the data source's own maximumResponseSize", arguments: [true, false])
        func awaitedHead(isWrapped: Bool) async throws {
            var configuration = CurlDataSource.Configuration()
            configuration.maximumResponseSize = 10_000
            let (goesOn, source) = (DispatchSemaphore(value: 0), CurlDataSource(configuration: configuration))
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(Self.head + "Connection: close\r\n\r\n0123456789")
                goesOn.wait()
                connection.send([UInt8](repeating: 0x61, count: 100_000))
                connection.waitForEnd()
            }
            var service = WebService.test(source, base: "http://127.0.0.1:\(server.port)")
            if isWrapped { service.dataSource = source.coalescing() }
            let task = service.GET("/")
            #expect(try await task.head.statusCode == 200)
            goesOn.signal()
            let error = await task.result.failure
            #expect((error?.underlying as? URLError)?.code == .dataLengthExceedsMaximum)
            #expect(error?.underlying?.localizedDescription.contains("maximumResponseSize, 10000") == true)
            #expect(error?.response?.statusCode == 200)
        }

        @Test("A body that was streamed late may be longer than maximumResponseSize")
        func lateSwitch() async throws {
            var configuration = CurlDataSource.Configuration()
            configuration.maximumResponseSize = 10_000
            let (goesOn, begun) = (DispatchSemaphore(value: 0), Event())
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(Self.head + "Connection: close\r\n\r\n0123456789")
                begun.happen()
                goesOn.wait()
                connection.send([UInt8](repeating: 0x61, count: 100_000))
            }
            let source = CurlDataSource(configuration: configuration)
            let call = StreamCall(try server.request(), source).resumed()
            await begun.wait()
            _ = call.streaming()
            _ = await call.progress.first(1)
            goesOn.signal()
            #expect(await call.body.count == 100_010)
            #expect(call.problems == [])
        }

        @Test("A stream that is left closes its connection, and nobody reads its rest")
        func leftConnection() async throws {
            let closed = Event()
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                guard connection.number == 1 else {
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                    return
                }
                connection.send(Self.head + "Content-Length: 1000000\r\n\r\n0123456789")
                connection.waitForEnd()
                closed.happen()
            }
            let call = StreamCall(try server.request(), source).streaming().resumed()
            _ = await call.progress.first(2)
            call.task.cancel()
            #expect(await call.outcome.isCancelled)
            await closed.wait()
            #expect(try await server.get(source).text == "ok")
            #expect(server.connectionCount == 2)
        }

        @Test("A compressed body that is cut short fails, after what came of it")
        func truncated() async throws {
            let bomb = Self.zeros(1_000_000).dropLast(10)
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(
                    Self.head + "Content-Encoding: deflate\r\nContent-Length: \(bomb.count)\r\n\r\n")
                connection.send(Array(bomb))
                connection.waitForEnd()
            }
            let call = StreamCall(try server.request(), source).streaming().resumed()
            #expect(await call.outcome.code == .cannotDecodeContentData)
            #expect(call.streamed.count > 900_000)
        }

        @Test("Ten thousand small parts come in order")
        func manyParts() async throws {
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(Self.head + "Connection: close\r\n\r\n")
                for number in 0..<10_000 { connection.send("\(number)\n") }
            }
            let call = StreamCall(try server.request(), source).streaming().resumed()
            let text = await String(decoding: call.body, as: UTF8.self)
            #expect(text == (0..<10_000).map { "\($0)\n" }.joined())
            #expect(call.problems == [])
        }

        @Test("Streams, cancels, suspends and ends that race leave one ending each, and keep the contract")
        func races() async throws {
            let server = try LoopbackServer()
            let paths = ["/bytes/300000", "/drip?chunks=20&bytes=2000&every=1", "/redirect/2", "/gzip"]
            for round in 0..<60 {
                let calls = try paths.map { StreamCall(try server.request($0), source) }
                await withTaskGroup(of: Void.self) { group in
                    for (index, call) in calls.enumerated() {
                        group.addTask { call.task.resume() }
                        group.addTask { call.streaming() }
                        group.addTask {
                            for _ in 0..<3 {
                                call.task.suspend()
                                await Task.yield()
                                call.task.resume()
                            }
                        }
                        if (round + index).isMultiple(of: 3) { group.addTask { call.task.cancel() } }
                    }
                }
                for (index, call) in calls.enumerated() {
                    call.task.resume()
                    let outcome = await call.outcome
                    if outcome.error == nil {
                        let body = await call.body
                        if index == 0 { #expect(body == LoopbackServer.octets(300_000)) }
                        if index == 1 { #expect(body.count == 40_000) }
                    } else {
                        #expect(outcome.isCancelled)
                    }
                    #expect(call.problems == [])
                }
            }
        }
    }

    extension CurlStreamTests {
        private static var residentMemory: Int {
            let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
            let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        }

        /// So many zeros in zlib's format (RFC 1950, RFC 1951) or gzip's (RFC 1952), that one without its checksum: one
        /// literal, then copies of 258 bytes from one before.
        static func zeros(_ count: Int, _ coding: String = "deflate") -> [UInt8] {
            var bytes: [UInt8] = coding == "gzip" ? [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] : [0x78, 0x01]
            var (bits, width) = (UInt64(0), 0)
            func put(_ value: UInt64, _ count: Int) {
                bits |= value << UInt64(width)
                width += count
                while width >= 8 {
                    bytes.append(UInt8(truncatingIfNeeded: bits))
                    bits >>= 8
                    width -= 8
                }
            }
            // The last block, with the fixed codes, which go from their highest bit on.
            put(0b011, 3)
            func putLiteral() { put(0b0000_1100, 8) }
            let copies = (count - 1) / 258
            for _ in 0..<(count - copies * 258) { putLiteral() }
            // Code 285, 11000101, and distance code 0.
            func putCopies(_ count: Int) { for _ in 0..<count { put(0b1010_0011, 13) } }
            putCopies(min(copies, 16))
            // Eight copies are thirteen bytes, which repeat.
            let (period, rest) = (bytes.suffix(13), max(0, copies - 16))
            for _ in 0..<(rest / 8) { bytes += period }
            putCopies(rest % 8)
            put(0, 7)
            if width > 0 { put(0, 8 - width) }
            let sum = UInt32(count % 65521) << 16 | 1
            return bytes + withUnsafeBytes(of: sum.bigEndian) { Array($0) }
        }
    }
#endif
