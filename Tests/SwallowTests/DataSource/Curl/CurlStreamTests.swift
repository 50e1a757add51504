#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import TestSupport
    import Testing

    @testable import Swallow

    @Suite("Streamed bodies with CurlDataSource", .serialized)
    struct CurlStreamTests {
        static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
        private let source = CurlDataSource()

        @Test("Compressed zeros arrive completely, in body parts of limited size")
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

        @Test("maximumResponseSize applies to bodies in memory, not to streamed ones")
        func maximumSize() async throws {
            var configuration = CurlDataSource.Configuration()
            configuration.maximumResponseSize = 1000
            let (source, server) = (CurlDataSource(configuration: configuration), try LoopbackServer())
            let call = StreamCall(try server.request("/bytes/300000"), source).streaming().resumed()
            #expect(await call.body.count == 300_000)
            let whole = Call(try server.request("/bytes/300000"), source)
            #expect(await whole.resumed().outcome.code == .dataLengthExceedsMaximum)
        }

        @Test(
            "If the head announces a body that is too long for memory, the request fails immediately with that head"
        )
        func refusedAtHead() async throws {
            var configuration = CurlDataSource.Configuration()
            configuration.maximumResponseSize = 10_000
            // The rest of the body never arrives.
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(Self.head + "Content-Length: 10001\r\n\r\n0123456789")
                connection.waitForEnd()
            }
            let outcome = try await server.get(CurlDataSource(configuration: configuration))
            #expect(outcome.code == .dataLengthExceedsMaximum)
            #expect(outcome.error?.localizedDescription.contains("10000 bytes (maximumResponseSize)") == true)
            #expect(outcome.response?.statusCode == 200)
            let call = StreamCall(try server.request(), CurlDataSource(configuration: configuration))
            _ = await call.streaming().resumed().progress.first(2)
            #expect(call.streamed.count == 10)
            call.task.cancel()
        }

        @Test(
            "Awaiting the head doesn't change the data source's maximumResponseSize",
            arguments: [true, false])
        func awaitedHead(isWrapped: Bool) async throws {
            var configuration = CurlDataSource.Configuration()
            configuration.maximumResponseSize = 10_000
            let (mayContinue, source) = (
                DispatchSemaphore(value: 0), CurlDataSource(configuration: configuration)
            )
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(Self.head + "Connection: close\r\n\r\n0123456789")
                mayContinue.wait()
                connection.send([UInt8](repeating: 0x61, count: 100_000))
                connection.waitForEnd()
            }
            var service = WebService.test(source, base: "http://127.0.0.1:\(server.port)")
            service.configure { $0.timeout = .seconds(3600) }
            if isWrapped { service.dataSource = source.coalescing() }
            let task = service.GET("/")
            #expect(try await task.head.statusCode == 200)
            mayContinue.signal()
            let error = await task.result.failure
            #expect((error?.underlying as? URLError)?.code == .dataLengthExceedsMaximum)
            let description = error?.underlying?.localizedDescription
            #expect(description?.contains("10000 bytes (maximumResponseSize)") == true)
            #expect(error?.response?.statusCode == 200)
        }

        @Test("A body that is streamed late may be longer than maximumResponseSize")
        func lateSwitch() async throws {
            var configuration = CurlDataSource.Configuration()
            configuration.maximumResponseSize = 10_000
            let (mayContinue, begun) = (DispatchSemaphore(value: 0), Event())
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(Self.head + "Connection: close\r\n\r\n0123456789")
                begun.happen()
                mayContinue.wait()
                connection.send([UInt8](repeating: 0x61, count: 100_000))
            }
            let source = CurlDataSource(configuration: configuration)
            let call = StreamCall(try server.request(), source).resumed()
            await begun.wait()
            _ = call.streaming()
            _ = await call.progress.first(1)
            mayContinue.signal()
            #expect(await call.body.count == 100_010)
            #expect(call.problems == [])
        }

        @Test("A cancelled stream closes its connection, and the rest isn't read")
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

        @Test("A truncated compressed body fails after the bytes that arrived")
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

        @Test("Ten thousand small body parts arrive in order")
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

        @Test("If streams, cancels, suspends and completions race, each task follows the contract")
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
#endif
