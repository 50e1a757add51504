#if os(Linux) && canImport(Glibc)
    import Foundation
    import Swallow
    import TestSupport
    import Testing

    /// Runs the executable that is built next to the tests.
    enum TransportProbe {
        /// Returns the executable's output and exit status. A negative status is a signal.
        static func run(
            _ arguments: String..., environment: [String: String] = [:]
        ) async throws -> (output: String, status: Int32) {
            try await run(arguments, environment: environment)
        }

        static func run(
            _ arguments: [String], environment: [String: String] = [:]
        ) async throws -> (output: String, status: Int32) {
            let file = try #require(
                ChildProcess.executable("TransportProbe"), "TransportProbe isn't beside the tests")
            let process = try ChildProcess(file, arguments, environment: environment)
            let output = try await onThread { try process.output.readToEnd() ?? Data() }
            return (String(decoding: output, as: UTF8.self), try await process.status())
        }
    }

    @Suite("Processes at their limits", .serialized, .enabled(if: CurlDataSource.isAvailable))
    struct ProcessTests {
        private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

        private func server() throws -> RawServer {
            try RawServer { connection in
                while connection.receiveHead() != nil { connection.send(Self.ok) }
            }
        }

        @Test(
            "A data source that was created without free file descriptors works normally when some are free",
            .timeLimit(.minutes(10)))
        func descriptors() async throws {
            // Each of the twenty requests took 4 to 59 s when a failed wakeup wasn't noticed.
            let server = try server()
            let (output, status) = try await TransportProbe.run(
                "descriptors", "http://127.0.0.1:\(server.port)/")
            #expect(output == String(repeating: "ok", count: 20))
            #expect(status == 0)
        }

        @Test("A request without a thread fails, and the next one succeeds when threads are available again")
        func threads() async throws {
            let server = try server()
            let (output, status) = try await TransportProbe.run(
                "threads", "http://127.0.0.1:\(server.port)/")
            #expect(output.contains("the system can't create a thread"), "\(output)")
            #expect(output.hasSuffix(", then ok"), "\(output)")
            #expect(status == 0)
        }

        @Test("Work that blocks the shared dispatch queues delays no transfer")
        func busy() async throws {
            let server = try server()
            let (output, _) = try await TransportProbe.run("busy", "http://127.0.0.1:\(server.port)/")
            #expect(output == "ok")
        }

        // If a child process kept a pipe of another test open, that test would wait until the child ends.
        @Test("A child process of a test inherits no descriptor of other tests")
        func descriptorsOfChildren() async throws {
            let pipe = Pipe()
            let process = try ChildProcess(URL(filePath: "/bin/ls"), ["/proc/self/fd"])
            let output = try await onThread { try process.output.readToEnd() ?? Data() }
            #expect(try await process.status() == 0)
            // `ls` opens one descriptor, for the folder.
            #expect(String(decoding: output, as: UTF8.self) == "0\n1\n2\n3\n")
            try pipe.fileHandleForWriting.close()
        }

        @Test("A redirect and a retry complete on a handler's queue while Swift's thread pool is blocked")
        func blockedSwiftPool() async throws {
            let isAvailable = Lock(false)
            let server = try RawServer { connection in
                while let head = connection.receiveHead() {
                    if head.hasPrefix("GET / ") {
                        connection.send(
                            "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n")
                    } else if isAvailable.withLock({ $0 }) {
                        connection.send(Self.ok)
                    } else {
                        isAvailable.withLock { $0 = true }
                        connection.send("HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\n")
                    }
                }
            }
            let (output, _) = try await TransportProbe.run("pool", "http://127.0.0.1:\(server.port)")
            #expect(output == "ok")
            #expect(
                server.heads.values.map { $0.prefix(9) } == [
                    "GET / HTT", "GET /next", "GET / HTT", "GET /next",
                ])
        }

        @Test("The configuration's proxy is always used")
        func proxy() async throws {
            let server = try server()
            let (output, _) = try await TransportProbe.run(
                "proxy", "http://service.test/a", "http://127.0.0.1:\(server.port)",
                environment: ["no_proxy": "*", "NO_PROXY": "service.test"])
            #expect(output == "ok")
            #expect(server.heads.values.first?.hasPrefix("GET http://service.test/a ") == true)
        }

        // libcurl 7.83 to 8.0 would write to the field before. That field is freed if the handle was used
        // before.
        @Test(
            "A head whose first line is a continuation doesn't crash the process",
            arguments: [["plain", "continued"], ["moved"]])
        func continuation(paths: [String]) async throws {
            let server = try RawServer { connection in
                while let head = connection.receiveHead() {
                    switch head.split(separator: " ").dropFirst().first {
                    case "/plain": connection.send("HTTP/1.1 200 OK\r\nX: 1\r\nContent-Length: 2\r\n\r\nok")
                    case "/moved":
                        connection.send(
                            "HTTP/1.1 302 Found\r\nLocation: /continued\r\nContent-Length: 0\r\n\r\n")
                    default: connection.send("HTTP/1.1 200 OK\r\n\tX: zz\r\nContent-Length: 2\r\n\r\nok")
                    }
                }
            }
            let urls = paths.map { "http://127.0.0.1:\(server.port)/\($0)" }
            let (output, status) = try await TransportProbe.run(["get"] + urls + urls)
            #expect(status == 0)
            #expect(output.split(separator: "\n").count == 2 * urls.count)
        }

        @Test("The process exits normally while transfers are running", arguments: [1, 8])
        func exit(count: Int) async throws {
            let server = try server()
            for _ in 0..<5 {
                let (_, status) = try await TransportProbe.run(
                    "exit", "http://127.0.0.1:\(server.port)/", "\(count)")
                #expect(status == 0)
            }
        }
    }
#endif
