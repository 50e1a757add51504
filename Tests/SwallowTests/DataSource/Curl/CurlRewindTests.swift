#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import Swallow
    import TestSupport
    import Testing

    @Suite("A body that is sent once more by libcurl", .enabled(if: CurlDataSource.isAvailable))
    struct CurlRewindTests {
        private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        private static let bytes = LoopbackServer.octets(300_000)
        private let source = CurlDataSource.keepingConnections()
        private let bodies = Recorder<Data>()

        /// A server whose first connection ends when it has a whole body, in place of an answer.
        private func server() throws -> RawServer {
            try RawServer { [bodies] connection in
                while let head = connection.receiveHead() {
                    guard !head.hasPrefix("GET") else {
                        connection.send(Self.ok)
                        continue
                    }
                    guard let body = connection.receive(Self.bytes.count) else { return }
                    bodies.append(body)
                    if connection.number == 1 { return }
                    connection.send(Self.ok)
                }
            }
        }

        private func send(_ body: RequestBody, _ method: String, to server: RawServer) async throws
            -> Call.Outcome
        {
            // Only a connection that was kept may have ended by itself.
            #expect(try await server.get(source).text == "ok")
            var request = try server.request()
            request.httpMethod = method
            if let data = body.data { request.httpBody = data } else { request.streamedBody = body }
            return await server.send(request, source)
        }

        @Test("From memory, a file or a stream, where a kept connection ends before the answer")
        func again() async throws {
            let file = try TemporaryFile(Self.bytes)
            let opened = Recorder<Void>()
            let stream = RequestBody.stream(length: 300_000) {
                opened.append(())
                return InputStream(data: Self.bytes)
            }
            for body in [.data(Self.bytes), .file(file.url), stream] as [RequestBody] {
                let server = try server()
                #expect(try await send(body, "PUT", to: server).text == "ok")
                #expect(server.connectionCount == 2)
            }
            #expect(bodies.values == Array(repeating: Self.bytes, count: 6))
            #expect(opened.values.count == 2)
        }

        @Test("Not one that can be sent only once, nor with a method that isn't idempotent")
        func once() async throws {
            let parts = MadeParts(count: 3, size: 100_000)
            let first = try await send(.parts(parts, length: 300_000), "PUT", to: try server())
            let second = try await send(.data(Self.bytes), "POST", to: try server())
            for (outcome, reason) in [(first, "can be sent only once"), (second, "isn't idempotent")] {
                #expect(outcome.code == .networkConnectionLost)
                #expect(outcome.error?.localizedDescription.contains(reason) == true)
            }
            #expect(bodies.values.count == 2)
        }
    }
#endif
