#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import Swallow
    import Support

    /// The cost of ``CurlDataSource``, compared with URLSession and the curl program.
    let transportBenchmarks =
        [1, 8, 64].map {
            transport("2 KB", path: ("/2k", "/bytes/2048"), bytes: 2048, width: $0, operations: 4000)
        }
        + [1, 8, 64].map {
            transport("2 MB", path: ("/2m", "/bytes/2097152"), bytes: 2_097_152, width: $0, operations: 64)
        } + [manyInFlight, manyWaiting, manyRequests] + transportGrowth

    private func transport(
        _ size: String, path: (nginx: String, loopback: String), bytes: Int, width: Int, operations: Int
    ) -> Benchmark {
        Benchmark("transport: GET of \(size), \(width) at once") { () -> [Contender] in
            let server = try TransportServer()
            let url = URL.made(of: server.url(path))
            let configuration = URLSessionConfiguration.default
            configuration.httpMaximumConnectionsPerHost = width
            let session = URLSessionDataSource(configuration: configuration)
            let curl = CurlDataSource()
            return [
                Contender("URLSessionDataSource", operations: operations) { operations in
                    get(url, bytes, operations, width, session)
                    withExtendedLifetime(server) {}
                },
                Contender("CurlDataSource", operations: operations) { get(url, bytes, $0, width, curl) },
                Contender("curl -Z", operations: operations) { runCurl(url, $0, width) },
            ]
        }
    }

    func get(
        _ url: URL, _ bytes: Int, _ operations: Int, _ width: Int, _ source: any SessionDataTaskDataSource
    ) {
        perform(operations, width: width) { done in
            let task = source.dataTask(with: URLRequest(url: url)) { data, _, error in
                if data?.count != bytes { fail("\(url): \(error.map { "\($0)" } ?? "wrong body")") }
                done()
            }
            task.resume()
        }
    }

    /// Runs the curl program with at most `width` concurrent transfers.
    func runCurl(_ url: URL, _ operations: Int, _ width: Int, _ options: [String] = []) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "curl", "-s", "-Z", "--parallel-immediate", "--parallel-max", "\(width)", "-o", "/dev/null",
                "\(url)?[1-\(operations)]",
            ] + options
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // `waitUntilExit()` checks only every 0.1 s.
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        do {
            try process.run()
            ended.wait()
        } catch {
            fail("curl can't be run: \(error)")
        }
    }

    /// A thousand concurrent requests. The server delays each response by one second.
    private let manyInFlight = Benchmark("transport: 1 000 in flight") { () -> [Row] in
        let server = try ServerProcess()
        let url = URL.made(of: server.baseURLString + "/delay/1000")
        var configuration = CurlDataSource.Configuration()
        configuration.connectionsPerHost = 0
        configuration.connections = 0
        let curl = CurlDataSource(configuration: configuration)
        let measurement = Measurement(
            rounds: 1,
            [
                Contender("a thousand", operations: 1) { _ in
                    get(url, 16, 1000, 1000, curl)
                    withExtendedLifetime(server) {}
                }
            ])
        return [
            Row("all of them", cost: measurement.cost(of: 0), goal: .cpu(150_000)),
            Row("resident", result: .bytes(Double(processStatus("VmRSS") ?? 0) * 1024), goal: .result(60e6)),
            Row("threads", result: .count(Double(processStatus("Threads") ?? 0))),
        ]
    }

    /// Starts 100,000 requests to a host that doesn't respond, with at most eight connections. Measures the memory per
    /// request, the time to cancel all, and the time of a request to another host.
    private let manyWaiting = Benchmark("transport: 100 000 tasks that wait") { () -> [Row] in
        let count = 100_000
        let (slow, quick) = (try ServerProcess(), try ServerProcess())
        var configuration = CurlDataSource.Configuration()
        configuration.connectionsPerHost = 8
        let source = CurlDataSource(configuration: configuration)
        let service = WebService(baseURLString: slow.baseURLString, dataSource: source)
        let other = WebService(baseURLString: quick.baseURLString, dataSource: source)
        func first() { wait { _ = try? await other.GET("/bytes/2048").data } }
        first()
        let (queue, group) = (DispatchQueue(label: "waiting"), DispatchGroup())
        var tasks: [ServiceTask] = []
        tasks.reserveCapacity(count)
        let before = heapBytesInUse
        let starting = cost {
            for _ in 0..<count {
                group.enter()
                tasks.append(
                    service.GET("/delay/1000000").responseCompleted(queue) { _ in group.leave() }.resume())
            }
        }
        let answer = cost { first() }
        let held = heapBytesInUse.flatMap { now in before.map { Double(now - $0) / Double(count) } }
        let cancelling = cost {
            for task in tasks { task.cancel() }
            group.wait()
        }
        withExtendedLifetime((slow, quick)) {}
        return [
            Row("starting all", cost: starting),
            Row(
                "bytes each", result: held.map { .bytes($0) } ?? .notAvailable,
                goal: .result(1536, safe: 4096)),
            Row("another host's first answer", cost: answer),
            Row("cancelling all", cost: cancelling),
        ]
    }

    private func cost(of work: () -> Void) -> Cost {
        let (cpu, wall) = (processTime, ContinuousClock.now)
        work()
        return Cost(cpu: (processTime - cpu) * 1e6, wall: (ContinuousClock.now - wall).seconds * 1e6)
    }

    /// The memory, threads and file descriptors that remain in use after 100,000 requests.
    private let manyRequests = Benchmark("transport: 100 000 requests") { () -> [Row] in
        let server = try TransportServer()
        defer { withExtendedLifetime(server) {} }
        let url = URL.made(of: server.url((nginx: "/2k", loopback: "/bytes/2048")))
        func state() -> (memory: Int, threads: Int, descriptors: Int) {
            let descriptors = FileManager.default.subpaths(atPath: "/proc/self/fd")?.count
            return (processStatus("VmRSS") ?? 0, processStatus("Threads") ?? 0, descriptors ?? 0)
        }
        let empty = state()
        var curl: CurlDataSource? = CurlDataSource()
        if let curl { get(url, 2048, 10_000, 64, curl) }
        let warm = state()
        if let curl { get(url, 2048, 100_000, 64, curl) }
        let last = state()
        curl = nil
        // The transport's thread may still be closing its connections.
        for _ in 0..<100 where state().threads > 1 { usleep(10_000) }
        let closed = state()
        return [("before", empty), ("after 10 000", warm), ("after 110 000", last), ("closed", closed)]
            .flatMap {
                name, state in
                [
                    Row("resident, \(name)", result: .bytes(Double(state.memory) * 1024)),
                    Row("threads, \(name)", result: .count(Double(state.threads))),
                    Row("descriptors, \(name)", result: .count(Double(state.descriptors))),
                ]
            }
    }

    /// The nginx server that `.ci/tls` starts, or otherwise a test server in a separate process.
    private struct TransportServer: Sendable {
        private let nginx = ProcessInfo.processInfo.environment["SWALLOW_HTTP_PORT"]
        private let loopback: ServerProcess?

        init() throws {
            loopback = nginx == nil ? try ServerProcess() : nil
        }

        func url(_ path: (nginx: String, loopback: String)) -> String {
            if let nginx { return "http://127.0.0.1:\(nginx)\(path.nginx)" }
            return (loopback?.baseURLString ?? "") + path.loopback
        }
    }
#else
    let transportBenchmarks: [Benchmark] = []
#endif
