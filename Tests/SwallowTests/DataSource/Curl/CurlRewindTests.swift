#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import Swallow
    import TestSupport
    import Testing

    @Suite("Bodies that libcurl sends again", .enabled(if: CurlDataSource.isAvailable))
    struct CurlRewindTests {
        private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        private static let bytes = LoopbackServer.octets(300_000)
        private let source = CurlDataSource.keepingConnections()
        private let bodies = Recorder<Data>()

        /// A server that closes its first connection after it has received the complete body, without a
        /// response.
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
            // The request is retried only if it uses an idle connection, which the server may have closed.
            #expect(try await server.get(source).text == "ok")
            var request = try server.request()
            request.httpMethod = method
            if let data = body.data { request.httpBody = data } else { request.streamedBody = body }
            return await server.send(request, source)
        }

        @Test(
            "A body from memory, a file or a stream is sent again if a reused connection closes without a response"
        )
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

        @Test("A body that can be sent only once and a method that isn't idempotent aren't sent again")
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
