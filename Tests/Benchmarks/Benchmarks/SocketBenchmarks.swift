#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import Swallow

    /// The cost of complete requests for small responses, compared with curl and URLSession. `Tests/Benchmarks/sockets`
    /// runs them against an nginx server.
    let socketBenchmarks: [Benchmark] =
        Nginx.isThere ? [1, 8, 64].map(sockets) + [decodingAlone, multiplexing, largeBodies] : []

    /// An element of nginx's `answer.json`.
    private struct Record: Decodable, Sendable {
        let id: String
        let name: String
        let street: String
        let city: String
    }

    /// Returns the limit for the ratio of a request's CPU time to the curl program's CPU time.
    private func goal(_ width: Int) -> Goal? {
        switch width {
        case 8: .result(1.25, safe: 3.5)
        case 64: .result(1.1, safe: 2.5)
        default: nil
        }
    }

    private func sockets(width: Int) -> Benchmark {
        Benchmark("sockets: GET of 2 KB of JSON, \(width) at once") { () -> [Contender] in
            let url = Nginx.plainURL
            let configuration = URLSessionConfiguration.default
            configuration.urlCache = nil
            configuration.httpMaximumConnectionsPerHost = width
            let session = URLSession(configuration: configuration)
            let service = WebService(baseURLString: url, dataSource: CurlDataSource())
            let (count, queue) = (Nginx.operations, DispatchQueue(label: "sockets"))
            return [
                Contender("curl -Z", operations: 2 * count) { runCurl(.made(of: url), $0, width) },
                Contender("URLSession, data(from:)", operations: count / 4) { operations in
                    awaiting(operations, width) { _ = try await session.data(from: .made(of: url)) }
                },
                Contender("await data", operations: count, goal: goal(width)) {
                    operations in
                    awaiting(operations, width) { _ = try await service.GET("").data }
                },
                Contender("await data, decoded by the caller", operations: count) { operations in
                    awaiting(operations, width) {
                        let data = try await service.GET("").data
                        let records: [Record] = try JSON(parsing: data).decode()
                        if records.count != 20 { fail("wrong records") }
                    }
                },
                Contender("await decoded", operations: count) { operations in
                    awaiting(operations, width) {
                        let records: [Record] = try await service.GET("").decoded()
                        if records.count != 20 { fail("wrong records") }
                    }
                },
                Contender("four responseJSON(queue)", operations: count) { operations in
                    perform(operations, width: width) { done in
                        service.GET("")
                            .responseJSON(queue) { _ in }.responseJSON(queue) { _ in }
                            .responseJSON(queue) { _ in }.responseJSON(queue) { _ in done() }
                            .resume()
                    }
                },
            ]
        }
    }

    /// The cost of decoding alone. As part of a request, decoding takes longer because the processor's caches are cold.
    private let decodingAlone = Benchmark("sockets: decoding of the same 2 KB") { () -> [Contender] in
        let data = try Data(contentsOf: URL(filePath: Nginx.directory + "/files/answer.json"))
        return [
            Contender("JSON(parsing:).decode()") {
                let records: [Record] = try JSON(parsing: data).decode()
                if records.count != 20 { fail("wrong records") }
            }
        ]
    }

    /// 64 concurrent requests over TLS, with one HTTP/2 connection or eight HTTP/1.1 connections.
    private let multiplexing = Benchmark("sockets: GET of 2 KB over TLS, 64 at once") { () -> [Contender] in
        func contender(
            _ label: String, goal: Goal? = nil, _ configure: (inout CurlDataSource.Configuration) -> Void
        ) -> Contender {
            var configuration = CurlDataSource.Configuration()
            configuration.tls.certificateAuthorityFile = Nginx.directory + "/ca.pem"
            configure(&configuration)
            let service = WebService(
                baseURLString: Nginx.secureURL, dataSource: CurlDataSource(configuration: configuration))
            return Contender(label, operations: Nginx.operations, goal: goal) { operations in
                awaiting(operations, 64) { _ = try await service.GET("").data }
            }
        }
        return [
            Contender("curl -Z --http2", operations: Nginx.operations) {
                runCurl(
                    .made(of: Nginx.secureURL), $0, 64, ["--http2", "--cacert", Nginx.directory + "/ca.pem"])
            },
            contender("HTTP/1.1, 8 connections") {
                $0.httpVersions = .http1
                $0.connectionsPerHost = 8
            },
            contender("HTTP/2, 1 connection", goal: .result(1.15, safe: 2.5)) { $0.connectionsPerHost = 1 },
        ]
    }

    /// Requests for bodies of 2 MiB. Swallow collects them in memory, and the curl program discards them.
    private let largeBodies = Benchmark("sockets: GET of 2 MB, 8 at once") { () -> [Contender] in
        let url = Nginx.plainURL.replacing("answer.json", with: "2m")
        let service = WebService(baseURLString: url, dataSource: CurlDataSource())
        return [
            Contender("curl -Z", operations: 256) { runCurl(.made(of: url), $0, 8) },
            Contender("await data", operations: 256, goal: .result(1.1, safe: 2)) { operations in
                awaiting(operations, 8) {
                    if try await service.GET("").data.count != 2_097_152 { fail("wrong body") }
                }
            },
        ]
    }

    /// Performs operations, `width` at a time.
    private func awaiting(
        _ operations: Int, _ width: Int, _ operation: @escaping @Sendable () async throws -> Void
    ) {
        wait {
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<width {
                    group.addTask {
                        do {
                            for _ in stride(from: worker, to: operations, by: width) { try await operation() }
                        } catch {
                            fail("a request failed: \(error)")
                        }
                    }
                }
            }
        }
    }

    /// The nginx server that `.ci/tls` starts. The script sets the variables, except `SWALLOW_OPERATIONS`.
    private enum Nginx {
        static let environment = ProcessInfo.processInfo.environment
        static let isThere = environment["SWALLOW_HTTP_PORT"] != nil
        static let directory = environment["SWALLOW_TLS_DIRECTORY"] ?? ""
        static let plainURL = "http://127.0.0.1:\(environment["SWALLOW_HTTP_PORT"] ?? "")/answer.json"
        static let secureURL = "https://localhost:\(environment["SWALLOW_TLS_PORT"] ?? "")/answer.json"
        static let operations = environment["SWALLOW_OPERATIONS"].flatMap { Int($0) } ?? 4000
    }
#else
    let socketBenchmarks: [Benchmark] = []
#endif
