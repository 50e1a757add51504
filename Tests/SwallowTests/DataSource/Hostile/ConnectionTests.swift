#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import Glibc
    import Swallow
    import TestSupport
    import Testing

    /// Lets threads continue after a number of them wait.
    private final class Barrier: Sendable {
        private let left: Lock<Int>
        private let count: Int
        private let opens = DispatchSemaphore(value: 0)

        init(_ count: Int) {
            self.count = count
            left = Lock(count)
        }

        func wait() {
            let isLast = left.withLock { left in
                left -= 1
                return left == 0
            }
            if isLast { for _ in 0..<count { opens.signal() } }
            opens.wait()
        }
    }

    @Suite("Connections that fail or change unexpectedly", .enabled(if: CurlDataSource.isAvailable))
    struct ConnectionTests {
        private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        private static let late = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 4\r\n\r\nlate"

        @Test("A response that a server sends before the request is discarded", arguments: ["GET", "POST"])
        func lateAnswer(method: String) async throws {
            // A response without a request doesn't belong to the next request (RFC 9112 §9.2).
            let hasSentBytes = Event()
            let mayEnd = DispatchSemaphore(value: 0)
            let server = try RawServer { connection in
                while connection.receiveHead() != nil {
                    connection.send(Self.ok)
                    guard connection.number == 1 else { continue }
                    connection.send(Self.late)
                    hasSentBytes.happen()
                    mayEnd.wait()
                }
            }
            defer { mayEnd.signal() }
            let source = CurlDataSource.keepingConnections()
            #expect(try await server.get(source).text == "ok")
            await hasSentBytes.wait()
            var request = try server.request()
            request.httpMethod = method
            let outcome = await server.send(request, source)
            #expect(outcome.response?.statusCode == 200)
            #expect(outcome.text == "ok")
            #expect(server.connectionCount == 2)
            #expect(server.heads.values.count == 2)
        }

        @Test("An idle connection is reused")
        func reuse() async throws {
            let server = try RawServer { connection in
                while connection.receiveHead() != nil { connection.send(Self.ok) }
            }
            let source = CurlDataSource.keepingConnections()
            for _ in 0..<5 { #expect(try await server.get(source).text == "ok") }
            #expect(server.connectionCount == 1)
        }

        @Test("If idle connections have closed, a request is sent at most twice", arguments: ["GET", "PUT"])
        func deadConnections(method: String) async throws {
            let (all, count) = (Barrier(6), 6)
            let server = try RawServer { connection in
                // The first six requests are sent concurrently, each over its own connection. These connections receive
                // a second request and then close.
                guard connection.receiveHead() != nil else { return }
                if connection.number <= count { all.wait() }
                connection.send(Self.ok)
                if connection.receiveHead() != nil, connection.number > count { connection.send(Self.ok) }
            }
            let source = CurlDataSource.keepingConnections()
            let calls = try (0..<count).map { _ in Call(try server.request(), source).resumed() }
            for call in calls { #expect(await call.outcome.text == "ok") }
            var request = try server.request("/again")
            request.httpMethod = method
            let again = Call(request, source)
            #expect(await again.resumed().outcome.text == "ok")
            #expect(server.heads.values.filter { $0.hasPrefix(method) && $0.contains("/again") }.count == 2)
            #expect(again.task.transferMetrics?.attempts == 2)
        }

        @Test("A request without retries still counts libcurl's repetition as an attempt")
        func countedRepeat() async throws {
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                connection.send(Self.ok)
                if connection.receiveHead() != nil, connection.number > 1 { connection.send(Self.ok) }
            }
            let service = WebService.test(
                CurlDataSource.keepingConnections(), base: "http://127.0.0.1:\(server.port)")
            let count = Recorder<Int?>()
            // This sends the request immediately, so that the connection is still open.
            service.GET("/").response(.utility) { _, _ in
                let again = service.GET("/", options: [.retry(.never)])
                again.responseCompleted(.utility) { _ in count.append(again.metrics?.attempts) }
            }
            #expect(await count.first(1) == [2])
            #expect(server.heads.values.count == 3)
        }

        @Test("The repetition of a request that is then redirected counts as an attempt")
        func countedHops() async throws {
            let server = try RawServer { connection in
                guard connection.receiveHead() != nil else { return }
                let moved = "HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n"
                connection.send(connection.number == 1 ? Self.ok : moved)
                // The first connection closes without a response.
                if connection.receiveHead() != nil, connection.number > 1 { connection.send(Self.ok) }
            }
            let service = WebService.test(
                CurlDataSource.keepingConnections(), base: "http://127.0.0.1:\(server.port)")
            let metrics = Recorder<TransferMetrics?>()
            // This sends the request immediately, so that the connection is still open.
            service.GET("/").response(.utility) { _, _ in
                let again = service.GET("/old", options: [.retry(.never)])
                again.responseCompleted(.utility) { _ in metrics.append(again.metrics) }
            }
            let known = await metrics.first(1)[0]
            #expect(known?.redirects == 1 && known?.attempts == 2)
            #expect(server.heads.values.count == 4)
        }

        @Test(
            "A header field larger than libcurl's limit fails with an error that states the limit",
            arguments: ["Location", "WWW-Authenticate"])
        func largeField(name: String) async throws {
            let value = String(repeating: "x", count: 200_000)
            let server = try RawServer("HTTP/1.1 302 Found\r\n\(name): \(value)\r\nContent-Length: 0\r\n\r\n")
            let outcome = try await server.get(CurlDataSource.keepingConnections())
            #expect(outcome.code == .badServerResponse)
            #expect(outcome.error?.localizedDescription.contains("more than 100 KB") == true)
        }

        @Test(
            "A Connection: close field of the caller closes the connection",
            arguments: ["close", "x, Close"])
        func close(value: String) async throws {
            // After this field, the connection isn't used for another request (RFC 9112 §9.6).
            let server = try RawServer { connection in
                while connection.receiveHead() != nil { connection.send(Self.ok) }
            }
            let source = CurlDataSource.keepingConnections()
            var request = try server.request()
            request.setValue(value, forHTTPHeaderField: "Connection")
            for _ in 0..<2 { #expect(await server.send(request, source).text == "ok") }
            #expect(server.connectionCount == 2)
            #expect(
                server.heads.values.allSatisfy {
                    $0.lowercased().contains("connection: \(value)".lowercased())
                })
            for _ in 0..<2 { #expect(try await server.get(source).text == "ok") }
            #expect(server.connectionCount == 3)
        }

        @Test("TRACE with a body isn't sent")
        func trace() async throws {
            // A TRACE request must not have content (RFC 9110 §9.3.8).
            let server = try RawServer(Self.ok)
            var request = try server.request()
            request.httpMethod = "TRACE"
            #expect(await server.send(request, CurlDataSource.keepingConnections()).text == "ok")
            request.httpBody = Data("x".utf8)
            let error = await server.send(request, CurlDataSource.keepingConnections()).error as? ServiceError
            #expect(error?.reason == .invalidRequest)
            #expect(server.heads.values.count == 1)
        }

        @Test("Content-Length and Transfer-Encoding are never both sent", arguments: ["POST", "GET"])
        func framingOfRequests(method: String) async throws {
            // A request must not have both fields (RFC 9112 §6.2).
            let server = try RawServer(Self.ok)
            var request = try server.request()
            request.httpMethod = method
            if method == "POST" { request.httpBody = Data("four".utf8) }
            request.setValue("9", forHTTPHeaderField: "Content-Length")
            request.setValue("chunked", forHTTPHeaderField: "transfer-encoding")
            #expect(await server.send(request, CurlDataSource.keepingConnections()).text == "ok")
            let head = server.heads.values.first?.lowercased() ?? ""
            #expect(!head.contains("transfer-encoding"))
            #expect(head.contains("content-length: 4") == (method == "POST"))
            #expect(!head.contains("content-length: 9"))
        }

        @Test("Completions that block delay no other transfer", arguments: [10, 40])
        func blockedCompletions(count: Int) async throws {
            let server = try RawServer { connection in
                while connection.receiveHead() != nil { connection.send(Self.ok) }
            }
            let source = CurlDataSource.keepingConnections()
            let gate = DispatchSemaphore(value: 0)
            let blocked = Recorder<Void>()
            for _ in 0..<count {
                let task = source.dataTask(with: try server.request()) { _, _, _ in
                    blocked.append(())
                    gate.wait()
                }
                task.resume()
            }
            _ = await blocked.first(count)
            for _ in 0..<3 { #expect(try await server.get(source).text == "ok") }
            for _ in 0..<count { gate.signal() }
        }

        @Test("Child processes don't inherit a connection")
        func closedInChildren() async throws {
            let server = try RawServer { connection in
                while connection.receiveHead() != nil { connection.send(Self.ok) }
            }
            let source = CurlDataSource.keepingConnections()
            _ = try await server.get(source)
            let own = (3..<20_000).filter { peerPort(of: Int32($0)) == server.port }
            #expect(own.count == 1)
            #expect(own.allSatisfy { fcntl(Int32($0), F_GETFD) & FD_CLOEXEC != 0 })
            withExtendedLifetime(source) {}
        }

        private func peerPort(of descriptor: Int32) -> UInt16? {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(descriptor, $0, &length) == 0
                }
            }
            return isKnown && Int32(address.sin_family) == AF_INET ? UInt16(bigEndian: address.sin_port) : nil
        }
    }
#endif
