import SwallowResources

#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import LoopbackServer
    import Swallow
    import SwallowTesting
    import TestSupport
    import Testing

    @Suite("Replaying a service's requests without its server", .enabled(if: CurlDataSource.isAvailable))
    struct ServiceReplayTests {
        private let folder = Folder()

        /// A use of a service by an app, and the results that the app receives.
        struct Use: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let run: @Sendable (WebService, Folder) async throws -> [String]
        }

        private static func answer(_ request: LoopbackServer.Request, _ count: Int) -> LoopbackServer.Reply {
            switch request.path {
            case "/events":
                return .respond(
                    .data(
                        Data("id: 1\ndata: a\n\nevent: x\ndata: b\n\n".utf8),
                        contentType: "text/event-stream"))
            case "/trailers":
                return .raw(
                    Data(
                        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                            + "3\r\nabc\r\n0\r\nX-Sum: 5\r\n\r\n").utf8))
            case "/flaky" where count == 1: return .respond(.text("busy", status: 503))
            case "/token": return .respond(.json(#"{"token":"t\#(count)"}"#))
            case "/private" where request.header("Authorization") != "Bearer t2":
                return .respond(.status(401))
            case "/tagged" where request.header("If-None-Match") == "\"1\"": return .respond(.status(304))
            case "/tagged":
                var response = LoopbackServer.Response.json("[1]")
                response.headers.append(("ETag", "\"1\""))
                return .respond(response)
            case "/pages":
                let isLast = request.query?.contains("page=2") == true
                var response = LoopbackServer.Response.json(isLast ? #"[{"id":2}]"# : #"[{"id":1}]"#)
                if !isLast {
                    response.headers.append(("Link", "</pages?page=2>; rel=\"next\""))
                }
                return .respond(response)
            case "/flaky", "/private": return .respond(.text("at last"))
            default: return LoopbackServer.standardRoutes(request)
            }
        }

        private struct Item: Codable, Identifiable, Sendable {
            let id: Int
        }

        private struct Pages: Readable {
            typealias Model = Item
            let service: WebService
            let name: Request.Path = "pages"
            let pagination = Pagination.link
        }

        static let uses = [
            Use(testDescription: "head, metrics and JSON") { service, _ in
                let task = service.GET("/json")
                let (entity, json) = (try await task.result.get(), try await task.json)
                return [
                    "\(entity.statusCode ?? 0)", "\(entity.headers)", "\(json)",
                    task.metrics?.protocolName ?? "", "\(task.metrics?.bytesReceived ?? -1)",
                ]
            },
            Use(testDescription: "gzip and other charsets") { service, _ in
                [
                    try await service.GET("/gzip").text,
                    try await service.GET("/text", parameters: ["charset": "iso-8859-1"]).text,
                ]
            },
            Use(testDescription: "lines") { service, _ in
                var lines: [String] = []
                for try await line in service.GET("/chunked/5").lines { lines.append(line) }
                #expect(lines.count == 5)
                return lines
            },
            Use(testDescription: "events") { service, _ in
                var events: [String] = []
                for try await event in service.GET("/events").events { events.append("\(event)") }
                #expect(events.count == 2)
                return events
            },
            Use(testDescription: "a body in parts") { service, _ in
                var bytes = Data()
                for try await part in service.GET("/bytes/70000").body { bytes += part }
                return ["\(bytes.count) \(bytes.hashValue)"]
            },
            Use(testDescription: "trailers") { service, _ in
                let task = service.GET("/trailers")
                let text = try await task.text
                #expect(text == "abc" && task.trailers["X-Sum"] == "5")
                return ["\(task.trailers)"]
            },
            Use(testDescription: "a download") { service, folder in
                let file = folder.url.appending(path: "target")
                try? FileManager.default.removeItem(at: file)
                let options: [Request.Option] = [.download(to: file, resumes: false)]
                _ = try await service.GET("/bytes/70000", options: options).content(as: URL.self)
                return ["\(try Data(contentsOf: file).hashValue)"]
            },
            Use(testDescription: "an upload in parts") { service, _ in
                let options: [Request.Option] = [
                    .body(stream: { InputStream(data: Data("uploaded".utf8)) }, contentType: "text/plain")
                ]
                return [try await service.PUT("/echo", options: options).json["body"].string ?? "none"]
            },
            Use(testDescription: "redirects") { service, _ in
                let options: [Request.Option] = [.query(["url": "/redirect/1", "status": 307])]
                let task = service.POST("/redirect-to", parameters: ["a": 1], options: options)
                let json = try await task.json
                #expect(json["path"].string == "/echo" && task.metrics?.redirects == 2)
                return ["\(json["method"])"]
            },
            Use(testDescription: "errors") { service, _ in
                var errors: [String] = []
                do throws(ServiceError) {
                    _ = try await service.GET("/empty").json
                } catch {
                    errors.append("\(error.reason)")
                }
                for path in ["/unauthorized", "/status/422", "/fault/close-before-head"] {
                    let result = await service.GET(Request.Path(path)).result
                    guard case .failure(let error) = result else { continue }
                    let cause = error.underlying as? URLError
                    let place = cause?.failingURL?.absoluteString ?? "none"
                    errors.append(
                        "\(error.statusCode ?? 0) \(error.userMessage) \(cause?.code.rawValue ?? 0) \(place)")
                }
                #expect(errors.count == 4)
                return errors
            },
            Use(testDescription: "a retry") { service, _ in
                var policy = RetryPolicy()
                policy.backoff = .init(first: .zero)
                let task = service.GET("/flaky", options: [.retry(policy)])
                let text = try await task.text
                #expect(text == "at last" && task.metrics?.attempts == 2)
                return ["\(task.metrics?.attempts ?? 0)"]
            },
            Use(testDescription: "a token that is refused and renewed") { plain, _ in
                let service = plain.configured { configuration in
                    configuration.authenticator = TokenAuthenticator { _ in
                        .init(try await plain.POST("/token").json["token"].decode())
                    }
                }
                return [try await service.GET("/private").text]
            },
            Use(testDescription: "a revalidation") { service, _ in
                var service = service
                service.configure {
                    $0.pipeline[.rawData].cacheUsing(MemoryCache())
                    $0.cachePolicy = .validate
                }
                let json = [try await service.GET("/tagged").json, try await service.GET("/tagged").json]
                #expect(json == [[1], [1]])
                return ["1"]
            },
            Use(testDescription: "pages") { service, _ in
                let items = try await Pages(service: service).readAll().value
                #expect(items.map(\.id) == [1, 2])
                return ["\(items.count)"]
            },
        ]

        @Test("Each use of a service has the same results from the recording", arguments: uses)
        func use(use: Use) async throws {
            let counts = Lock<[String: Int]>([:])
            let server = try LoopbackServer { request in
                let count = counts.withLock { counts in
                    counts[request.path, default: 0] += 1
                    return counts[request.path] ?? 0
                }
                return Self.answer(request, count)
            }
            // The tokens are compared, so they must not be redacted.
            let redaction = HAR.Redaction(LogRedaction(names: [String]()))
            func service(_ mode: ReplayingDataSource.Mode) -> WebService {
                let source = CurlDataSource().replaying(
                    "test", in: folder.url, mode: mode, matching: [.method, .url, .headers("Authorization")],
                    redacting: redaction)
                return .test(source, base: server.baseURLString)
            }
            try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
            let recorded = try await use.run(service(.missing), folder)
            #expect(!recorded.isEmpty && !recorded.contains(""))
            server.stop()
            let replayed = try await use.run(service(.replay), folder)
            #expect(replayed == recorded)
            #expect(try folder.har.problems == [])
        }
    }
#endif
