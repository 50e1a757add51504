import Foundation
import LoopbackServer
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

#if os(Linux) && canImport(Glibc)
    @Suite("Metrics, progress and trailers of CurlDataSource")
    struct CurlMetricsTests {
        private let server: LoopbackServer
        private let source = CurlDataSource()

        init() throws {
            server = try LoopbackServer()
        }

        @Test("Times, sizes, protocol and peer are available when the completion is called")
        func metrics() async throws {
            let first = Call(try server.request("/bytes/100000"), source)
            #expect(first.task.transferMetrics == nil)
            _ = await first.resumed().outcome
            let metrics = try #require(first.task.transferMetrics)
            #expect(metrics.bytesReceived == 100_000 && metrics.bytesSent == 0)
            #expect(metrics.protocolName == "http/1.1")
            #expect(metrics.remoteAddress == "127.0.0.1:\(server.port)")
            #expect(metrics.isConnectionReused == false)
            #expect(metrics.redirects == 0 && metrics.attempts == 1 && metrics.followedRedirects == [])
            let connection = try #require(metrics.connectEnd)
            let (firstByte, lastByte) = (
                try #require(metrics.responseStart), try #require(metrics.responseEnd)
            )
            #expect(connection <= firstByte && firstByte <= lastByte)
            #expect(metrics.secureConnectionEnd == nil)
            #expect(abs(metrics.start.timeIntervalSinceNow) < 3600)
        }

        @Test("A reused connection is reported as reused, and has no connect time")
        func reused() async throws {
            let calls = [
                Call(try server.request("/json"), source), Call(try server.request("/json"), source),
            ]
            let source = Recorder<Void>()
            for call in calls { _ = await call.resumed().outcome }
            withExtendedLifetime(source) {}
            let metrics = try #require(calls[1].task.transferMetrics)
            // The connection pool may have closed the connection under load.
            if metrics.isConnectionReused == true { #expect(metrics.connectEnd == nil) }
            #expect(metrics.isConnectionReused == (server.connectionCount == 1))
        }

        @Test("Each redirect has its own entry in the metrics")
        func followedRedirects() async throws {
            let call = Call(try server.request("/redirect/2"), source)
            _ = await call.resumed().outcome
            let metrics = try #require(call.task.transferMetrics)
            #expect(metrics.redirects == 2)
            #expect(metrics.followedRedirects.map { $0.request.url?.path } == ["/redirect/2", "/redirect/1"])
            #expect(metrics.followedRedirects.map(\.head.statusCode) == [302, 302])
            #expect(metrics.followedRedirects.allSatisfy { $0.duration > .zero && $0.start <= Date() })
        }

        @Test("The bytes of a request's body are counted")
        func sent() async throws {
            let body = String(repeating: "x", count: 100_000)
            for size in [10, 100_000] {
                let request = try server.request("/echo", "POST", body: String(body.prefix(size)))
                let call = Call(request, source)
                _ = await call.resumed().outcome
                #expect(call.task.transferMetrics?.bytesSent == Int64(size))
                #expect(call.task.transferProgress.sent == Int64(size))
                #expect(call.task.transferProgress.expectedToSend == Int64(size))
            }
        }

        @Test("Progress grows while a body arrives, and is final when the transfer completes")
        func progress() async throws {
            let path = "/drip?chunks=30&bytes=1000&every=1"
            let call = Call(try server.request(path), source)
            #expect(call.task.transferProgress == TransferProgress(expectedToSend: nil))
            call.task.resume()
            var last = Int64(0)
            while call.answers == 0 {
                let received = call.task.transferProgress.received
                #expect(received >= last && received <= 30_000)
                last = received
                await Task.yield()
            }
            #expect(call.task.transferProgress.received == 30_000)
            let whole = Call(try server.request("/bytes/5000"), source)
            _ = await whole.resumed().outcome
            #expect(whole.task.transferProgress.expectedToReceive == 5000)
        }

        @Test("Received bytes are counted before decompression")
        func compressed() async throws {
            let call = Call(try server.request("/gzip"), source)
            let outcome = await call.resumed().outcome
            let length = outcome.response?.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
            #expect(call.task.transferMetrics?.bytesReceived == length)
        }

        @Test("Fields after a chunked body are trailers", arguments: [true, false])
        func trailers(isStreamed: Bool) async throws {
            let server = try RawServer { connection in
                while connection.receiveHead() != nil {
                    connection.send(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
                            + "3\r\nabc\r\n0\r\nX-Sum: 1 2 \r\nx-other: b\r\n\r\n")
                }
            }
            let call = StreamCall(try server.request(), source)
            if isStreamed { call.streaming() }
            #expect(await call.resumed().body == Data("abc".utf8))
            #expect(call.task.trailers == ["X-Sum": "1 2", "x-other": "b"])
            let plain = Call(try LoopbackServer().request("/json"), source)
            #expect(plain.task.trailers == [:])
        }

        @Test("Trailers follow the same rules as heads")
        func badTrailers() async throws {
            let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"
            let many = String(repeating: "X-A: 1\r\n", count: 1001)
            for trailers in [many, "Content-Length: x\r\n", "Content-Length : 1\r\n"] {
                let server = try RawServer(chunks + trailers + "\r\n")
                #expect(try await server.get(source).code == .badServerResponse)
            }
        }
    }
#endif
