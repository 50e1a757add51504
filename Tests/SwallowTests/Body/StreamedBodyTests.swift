#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import Swallow
    import TestSupport
    import Testing

    @Suite("A streamed body over libcurl")
    struct StreamedBodyTests {
        private let server: LoopbackServer
        private let source = CurlDataSource()

        init() throws {
            server = try LoopbackServer()
        }

        private func send(_ path: String, _ body: RequestBody, _ method: String = "PUT") async throws
            -> Call.Outcome
        {
            await server.send(try server.upload(path, body, method), source)
        }

        @Test(
            "A file of any size arrives completely, with its length",
            arguments: [0, 1, 65_535, 65_536, 262_144, 10_000_000])
        func file(size: Int) async throws {
            let bytes = LoopbackServer.octets(size)
            let file = try TemporaryFile(bytes)
            let report = try await send("/stream/report", .file(file.url), "POST").json
            #expect(report["length"].int == size)
            #expect(report["sum"].int == LoopbackServer.checksum(bytes))
            #expect(report["isChunked"].bool == false)
        }

        @Test("A stream arrives with its length, or in chunks", arguments: [true, false])
        func stream(hasLength: Bool) async throws {
            let bytes = LoopbackServer.octets(1_000_000)
            let body = RequestBody.stream(length: hasLength ? 1_000_000 : nil) { InputStream(data: bytes) }
            let report = try await send("/stream/report", body).json
            #expect(report["sum"].int == LoopbackServer.checksum(bytes))
            #expect(report["isChunked"].bool == !hasLength)
        }

        @Test("The parts of a sequence arrive with their length, or in chunks", arguments: [true, false])
        func parts(hasLength: Bool) async throws {
            let parts = MadeParts(count: 1000, size: 999)
            let body = RequestBody.parts(parts, length: hasLength ? 999_000 : nil)
            let report = try await send("/stream/report", body).json
            #expect(report["length"].int == 999_000)
            #expect(report["isChunked"].bool == !hasLength)
        }

        @Test(
            "Trailer fields are sent after the last part, even if the body has a length",
            arguments: [nil, 5] as [Int64?])
        func trailers(length: Int64?) async throws {
            let parts = ManualParts()
            parts.send("hello")
            parts.finish()
            let body = RequestBody.parts(parts.sequence, length: length) { ["X-Sum": "5", "X-Other": "a b"] }
            let report = try await send("/stream/report", body).json
            #expect(report["trailers"].elements.map(\.string) == ["X-Sum: 5", "X-Other: a b"])
            #expect(report["length"].int == 5)
        }

        @Test("The response arrives while the body is still being sent")
        func fullDuplex() async throws {
            // Each part is sent after the server has echoed the part before.
            let parts = ManualParts()
            let call = Call(try server.upload("/stream/echo", .parts(parts.sequence), "POST"), source)
            let received = Lock(Data())
            let count = 50
            call.task.stream { part in
                guard case .bytes(let bytes) = part else { return parts.send("0;") }
                let text = received.withLock { data in
                    data.append(bytes)
                    return String(decoding: data, as: UTF8.self)
                }
                guard text.hasSuffix(";") else { return }
                let answered = text.split(separator: ";").count
                if answered < count { parts.send("\(answered);") } else { parts.finish() }
            }
            call.task.resume()
            let outcome = await call.outcome
            #expect(outcome.error == nil)
            let expected = (0..<count).map { "\($0);" }.joined()
            #expect(
                String(decoding: received.withLock { $0 } + (outcome.data ?? Data()), as: UTF8.self)
                    == expected)
        }

        @Test(
            "The progress counts the bytes that were sent, with and without a length",
            arguments: [nil, 50_000] as [Int64?])
        func progress(length: Int64?) async throws {
            let request = try server.upload(
                "/stream/report", .parts(MadeParts(count: 50, size: 1000), length: length))
            let call = Call(request, source)
            _ = call.task.transferProgress
            call.task.resume()
            #expect(await call.outcome.error == nil)
            #expect(call.task.transferProgress.sent == 50_000)
            #expect(call.task.transferProgress.expectedToSend == length)
        }

        @Test("An upload pauses if the server doesn't read")
        func backPressure() async throws {
            let parts = MadeParts(count: 100_000, size: 10_000)
            let call = Call(try server.upload("/stream/stall", .parts(parts)), source).resumed()
            _ = await parts.asked.first(30)
            // The kernel's buffers hold a few megabytes.
            call.task.cancel()
            #expect(await call.outcome.isCancelled)
            #expect(parts.asked.values.count < 50_000)
        }

        @Test(
            "A cancel ends the body's sequence and closes the connection",
            arguments: ["/stream/stall", "/stream/echo"])
        func cancel(path: String) async throws {
            let parts = ManualParts()
            parts.send("first")
            let call = Call(try server.upload(path, .parts(parts.sequence)), source).resumed()
            _ = await server.request(at: 0)
            call.task.cancel()
            #expect(await call.outcome.isCancelled)
            await parts.end.wait()
            await server.connectionsClosed()
        }

        @Test("A cancel closes a stream")
        func cancelStream() async throws {
            let closed = TestSupport.Event()
            let body = RequestBody.stream { EndlessStream(closed) }
            let call = Call(try server.upload("/stream/stall", body), source).resumed()
            _ = await server.request(at: 0)
            call.task.cancel()
            #expect(await call.outcome.isCancelled)
            await closed.wait()
        }

        @Test("A body that can be sent only once fails if a redirect keeps it", arguments: [307, 308])
        func once(status: Int) async throws {
            let parts = RequestBody.parts(MadeParts(count: 3, size: 10))
            let outcome = try await send("/redirect-to?url=/stream/report&status=\(status)", parts, "POST")
            let error = try #require(outcome.error as? ServiceError)
            #expect(error.reason == .invalidRequest)
            #expect("\(error)".contains("once"))
            #expect(server.requests.count == 1)
        }

        @Test("All other bodies are opened again after a redirect that keeps them", arguments: [307, 308])
        func again(status: Int) async throws {
            let bytes = LoopbackServer.octets(300_000)
            let file = try TemporaryFile(bytes)
            let opened = Recorder<Void>()
            let stream = RequestBody.stream {
                opened.append(())
                return InputStream(data: bytes)
            }
            for body in [.file(file.url), stream, .data(bytes)] {
                let report = try await send("/redirect-to?url=/stream/report&status=\(status)", body, "POST")
                    .json
                #expect(report["sum"].int == LoopbackServer.checksum(bytes))
            }
            #expect(opened.values.count == 2)
        }

        @Test("A redirect to GET drops the body")
        func dropped() async throws {
            let json = try await send(
                "/redirect-to?url=/echo&status=303", .parts(MadeParts(count: 1, size: 5)), "POST"
            ).json
            #expect(json["method"] == "GET")
            #expect(!json["headers"]["content-length"].exists)
        }

        @Test("A body that can be sent only once fails in a second request, and nothing is sent")
        func twice() async throws {
            let request = try server.upload("/stream/report", .parts(MadeParts(count: 1, size: 5)))
            #expect(await server.send(request, source).status == 200)
            let second = await server.send(request, source)
            #expect((second.error as? ServiceError)?.reason == .invalidRequest)
            #expect(server.requests.count == 1)
        }

        @Test(
            "A response that rejects the body is the task's response, even if the body waits for more parts",
            arguments: ["/stream/refuse", "/stream/refuse-and-close"])
        func refused(path: String) async throws {
            let parts = ManualParts()
            parts.send("first")
            let outcome = try await send(path, .parts(parts.sequence), "POST")
            #expect(outcome.status == 413)
            await parts.end.wait()
        }

        @Test(
            "An InputStream of the caller is sent once, and its redirect fails",
            arguments: [nil, 1_000_000])
        func foreign(length: Int?) async throws {
            let bytes = LoopbackServer.octets(1_000_000)
            var request = try server.request("/stream/report", "PUT")
            request.httpBodyStream = InputStream(data: bytes)
            if let length { request.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
            let report = await server.send(request, source).json
            #expect(report["sum"].int == LoopbackServer.checksum(bytes))
            #expect(report["isChunked"].bool == (length == nil))
            request.httpBodyStream = InputStream(data: bytes)
            request.url = URL(string: server.baseURLString + "/redirect-to?url=/stream/report&status=307")
            #expect((await server.send(request, source).error as? ServiceError)?.reason == .invalidRequest)
        }

        @Test(
            "A redirect sends an InputStream of up to 256 KB again, and fails for a longer one",
            arguments: [(262_144, true), (262_145, false)])
        func retained(size: Int, isSentAgain: Bool) async throws {
            let bytes = LoopbackServer.octets(size)
            var request = try server.request("/redirect-to?url=/stream/report&status=307", "PUT")
            request.httpBodyStream = InputStream(data: bytes)
            let outcome = await server.send(request, source)
            if isSentAgain {
                #expect(outcome.json["sum"].int == LoopbackServer.checksum(bytes))
            } else {
                #expect((outcome.error as? ServiceError)?.reason == .invalidRequest)
            }
        }

        @Test("A retry doesn't send an InputStream of the caller again, even a short one")
        func notRetried() async throws {
            let server = try LoopbackServer { _ in .respond(.status(503)) }
            var service = WebService.test(source, base: server.baseURLString)
            service.configure {
                $0.retry = .standard
                $0.retry.backoff.first = .zero
                $0.adaptRequest { $0.httpBodyStream = InputStream(data: Data([1])) }
            }
            #expect(await service.PUT("/").error?.attempts == 1)
            #expect(server.requests.count == 1)
        }

        @Test("A suspended task continues to send its body after it is resumed")
        func suspended() async throws {
            let parts = ManualParts()
            let call = Call(try server.upload("/stream/report", .parts(parts.sequence)), source).resumed()
            _ = await server.request(at: 0)
            call.task.suspend()
            parts.send("hello")
            parts.finish()
            _ = try await server.get("/json", source)
            #expect(call.answers == 0)
            call.task.resume()
            #expect(await call.outcome.json["length"] == 5)
        }

        @Test("Each task that is cancelled while it sends completes once, and every sequence ends")
        func stress() async throws {
            let rounds = Sanitizer.rounds(300, sanitized: 40)
            let file = try TemporaryFile(LoopbackServer.octets(500_000))
            var calls: [(Call, ManualParts?)] = []
            for round in 0..<rounds {
                let parts = round % 2 == 0 ? ManualParts() : nil
                let body = parts.map { RequestBody.parts($0.sequence) } ?? .file(file.url)
                let path =
                    round % 3 == 0 ? "/stream/echo" : round % 3 == 1 ? "/stream/report" : "/stream/refuse"
                let call = Call(try server.upload(path, body, "POST"), source).resumed()
                parts?.send("x")
                if round % 5 == 0 { call.task.suspend() }
                if round % 7 == 0 { parts?.finish(throwing: AppError()) }
                Thread.detachNewThread { call.task.cancel() }
                parts?.send("y")
                calls.append((call, parts))
            }
            for (call, parts) in calls {
                _ = await call.outcome
                #expect(call.answers == 1)
                // A sequence that was never read ends here.
                parts?.finish()
                await parts?.end.wait()
            }
        }
    }

    @Suite("A streamed body that fails")
    struct FailingBodyTests {
        private let server: LoopbackServer
        private let source = CurlDataSource()

        init() throws {
            server = try LoopbackServer()
        }

        private func failure(_ body: RequestBody) async throws -> ServiceError {
            let outcome = await server.send(try server.upload("/stream/report", body), source)
            return try #require(outcome.error as? ServiceError)
        }

        @Test(
            "If there is no regular file at the URL, the task fails and nothing is sent",
            arguments: ["/nowhere/at/all", "/tmp", "/dev/null"])
        func noFile(path: String) async throws {
            let error = try await failure(.file(URL(filePath: path)))
            #expect(error.reason == .invalidRequest)
            #expect("\(error)".contains(URL(filePath: path).lastPathComponent))
            #expect(
                try await failure(.file(try #require(URL(string: "http://h/a")))).reason == .invalidRequest)
            #expect(server.connectionCount == 0)
        }

        @Test(
            "If a file's length changes while it is sent, the task fails and its connection isn't reused",
            arguments: [true, false])
        func changed(grows: Bool) async throws {
            // The file changes as soon as the server has begun to read. At that time, only a small part of it is sent.
            let file = try TemporaryFile(LoopbackServer.octets(30_000_000))
            let changing = try LoopbackServer(
                streams: { request in
                    guard request.path == "/changing" else { return nil }
                    if grows { try? file.append(Data([1])) } else { try? file.truncate(to: 20_000_000) }
                    return .report
                }, LoopbackServer.standardRoutes)
            let outcome = await changing.send(try changing.upload("/changing", .file(file.url)), source)
            let error = try #require(outcome.error as? ServiceError)
            #expect(error.reason == .invalidRequest)
            #expect("\(error)".contains(grows ? "longer" : "shorter"))
            _ = try await changing.get("/json", source)
            #expect(changing.connectionCount == 2)
        }

        @Test("If a stream fails, the task fails with its error")
        func failingStream() async throws {
            let error = try await failure(.stream { EndlessStream(failsAfter: 100_000) })
            #expect(error.reason == .invalidRequest)
            #expect("\(error)".contains("stream of the body"))
            #expect((error.underlying as? AppError) == AppError(code: 9))
            let unopened = try await failure(.stream { throw AppError(code: 2) })
            #expect((unopened.underlying as? AppError) == AppError(code: 2))
        }

        @Test("If a sequence throws, the task fails with its error")
        func throwingParts() async throws {
            let parts = ManualParts()
            parts.send("first")
            parts.finish(throwing: AppError(code: 3))
            let error = try await failure(.parts(parts.sequence))
            #expect(error.reason == .invalidRequest)
            #expect((error.underlying as? AppError) == AppError(code: 3))
            let trailers = RequestBody.parts(MadeParts(count: 1, size: 1)) { throw AppError(code: 4) }
            #expect((try await failure(trailers).underlying as? AppError) == AppError(code: 4))
            let illegal = RequestBody.parts(MadeParts(count: 1, size: 1)) { ["X": "a\r\nb"] }
            #expect(try await failure(illegal).reason == .invalidRequest)
        }

        @Test("A body whose length differs from the declared length fails", arguments: [5, 9, 11] as [Int64])
        func wrongLength(length: Int64) async throws {
            let bodies: [RequestBody] = [
                .parts(MadeParts(count: 2, size: 5), length: length),
                .stream(length: length) { InputStream(data: Data(count: 10)) },
            ]
            for body in bodies {
                let error = try await failure(body)
                #expect(error.reason == .invalidRequest)
                #expect("\(error)".contains("\(length) bytes"))
            }
        }
    }

    /// A stream that never ends, or that fails after a number of bytes.
    private final class EndlessStream: InputStream {
        private let closed: TestSupport.Event
        private let limit: Int
        private var given = 0

        init(_ closed: TestSupport.Event = TestSupport.Event(), failsAfter limit: Int = .max) {
            self.closed = closed
            self.limit = limit
            super.init(data: Data())
        }

        override func open() {}
        override func close() { closed.happen() }
        override var streamError: (any Error)? { AppError(code: 9) }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
            if given >= limit { return -1 }
            given += length
            buffer.update(repeating: 7, count: length)
            return length
        }
    }
#endif
