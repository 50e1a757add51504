#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import Swallow
    import TestSupport
    import Testing

    @Suite("Server faults with CurlDataSource", .enabled(if: CurlDataSource.isAvailable))
    struct CurlFaultTests {
        private let server: LoopbackServer
        private let source = CurlDataSource()

        init() throws {
            server = try LoopbackServer()
        }

        @Test(
            "Each fault of the server fails with its error code",
            arguments: [
                ("close-before-head", URLError.Code.networkConnectionLost),
                ("reset-before-head", .networkConnectionLost), ("reset-mid-body", .networkConnectionLost),
                ("truncated", .networkConnectionLost), ("garbage", .badServerResponse),
                ("broken-chunk", .badServerResponse), ("endless-headers", .badServerResponse),
            ])
        func codes(fault: String, code: URLError.Code) async throws {
            let outcome = try await server.get("/fault/\(fault)", source)
            #expect(outcome.code == code)
            #expect((outcome.error as? URLError)?.failingURL?.path == "/fault/\(fault)")
        }

        @Test("A corrupt gzip body fails")
        func corruptGzip() async throws {
            #expect(try await server.get("/gzip-corrupt", source).code == .cannotDecodeContentData)
        }

        @Test("A thousand informational responses are skipped, but an endless series fails")
        func informational() async throws {
            #expect(try await server.get("/informational/1000", source).json["ok"] == true)
            let hints = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
            let storm = Data(String(repeating: hints, count: 20_000).utf8)
            let server = try LoopbackServer { _ in .raw(storm) }
            #expect(try await server.get("/", source).code == .badServerResponse)
        }

        @Test("Trailers aren't header fields, and don't change the head")
        func trailers() async throws {
            let text = """
                HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Late\r\n\r\n\
                2\r\nok\r\n0\r\nX-Late: 1\r\nHTTP/1.1 500 Oh: no\r\n\r\n
                """
            let server = try LoopbackServer { _ in .raw(Data(text.utf8)) }
            let outcome = try await server.get("/", source)
            #expect(outcome.response?.statusCode == 200)
            #expect(outcome.response?.value(forHTTPHeaderField: "X-Late") == nil)
            #expect(outcome.text == "ok")
        }

        @Test("A POST is sent only once, and a GET may be sent again", arguments: [0, 10, 200_000])
        func resending(bodySize: Int) async throws {
            let body = String(repeating: "x", count: bodySize)
            for (method, attempts) in [("POST", 1...1), ("PATCH", 1...1), ("GET", 1...6), ("PUT", 1...6)] {
                let server = try LoopbackServer()
                let source = CurlDataSource()
                _ = try await server.get("/json", source)
                let request = try server.request(
                    "/fault/close-before-head", method, body: method == "GET" ? nil : body)
                #expect(await server.send(request, source).code == .networkConnectionLost)
                let count = server.requests.count { $0.method == method && $0.path != "/json" }
                #expect(attempts.contains(count), "\(method): \(count) times")
            }
        }

        @Test(
            "A PUT on a connection that the server has closed is sent again on a new one, with its complete body"
        )
        func resentBody() async throws {
            let seen = Lock(0)
            let server = try LoopbackServer { request in
                if request.method == "GET" { return .respond(.json("{}")) }
                let isFirst = seen.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst ? .closeBeforeHead : .respond(.text("\(request.body.count)"))
            }
            let request = try server.request("/", "PUT", body: String(repeating: "x", count: 300_000))
            let outcomes = await server.sendInTurn([try server.request("/"), request], source)
            #expect(outcomes.last?.text == "300000")
        }

        @Test("A POST succeeds after the server has closed the idle connection")
        func closedMeanwhile() async throws {
            for _ in 0..<20 {
                _ = try await server.get("/fault/close-after", source)
                await server.connectionsClosed()
                let request = try server.request("/echo", "POST", body: "x")
                let outcome = await server.send(request, source)
                #expect(outcome.json["body"] == "x", "\(outcome)")
            }
        }

        @Test(
            "A request with invalid characters isn't sent",
            arguments: [
                ("GET", "X-A", "a\r\nX-B: b"), ("GET", "X-A", "a\nb"), ("GET", "X-A", "a\0b"),
                ("GET", "X\r\nY", "a"),
                ("GET", "X Y", "a"), ("GET", "", "a"), ("GET / HTTP/1.1\r\nX: ", "X-A", "a"),
                ("G T", "X-A", "a"),
            ])
        func injection(method: String, name: String, value: String) async throws {
            var request = try server.request("/json")
            request.httpMethod = method
            request.setValue(value, forHTTPHeaderField: name)
            // Foundation may have removed the field.
            let isLeftOut = request.httpMethod == "GET" && request.allHTTPHeaderFields?[name] != value
            let outcome = await server.send(request, source)
            #expect(isLeftOut || outcome.error is ServiceError)
            #expect(isLeftOut || server.requests.isEmpty)
        }

        @Test(
            "Other schemes fail with .unsupportedURL",
            arguments: ["ftp://127.0.0.1/", "file:///etc/passwd", "data:,x", "x"])
        func schemes(url: String) async throws {
            let request = URLRequest(url: try #require(URL(string: url)))
            #expect(await server.send(request, source).code == .unsupportedURL)
        }

        @Test("The caller's Content-Length field can't contradict the body")
        func contentLength() async throws {
            var request = try server.request("/echo", "POST", body: "four")
            request.setValue("1000", forHTTPHeaderField: "Content-Length")
            request.setValue("chunked", forHTTPHeaderField: "Transfer-Encoding")
            #expect(await server.send(request, source).json["body"] == "four")
        }

        @Test("Fields with the same name are joined, whatever their case")
        func duplicates() async throws {
            let response = try await server.get("/headers?X-A=1&x-a=2&X-a=3", source).response
            #expect(response?.value(forHTTPHeaderField: "X-A") == "1, 2, 3")
        }

        @Test("A field without a value is sent")
        func emptyField() async throws {
            var request = try server.request("/echo")
            request.setValue("", forHTTPHeaderField: "X-Empty")
            #expect(await server.send(request, source).json["headers"]["x-empty"] == "")
        }
    }
#endif
