import Dispatch
import Foundation
import Swallow

#if os(Linux) && canImport(Glibc)
    import FoundationNetworking
    import Glibc
#endif

/// Does what a test can't do in its own process, for example run out of file descriptors.
///
///     TransportProbe exit URL COUNT [CA]      exits with COUNT requests in flight
///     TransportProbe descriptors URL          sends a request without free file descriptors, then 20 more with them
///     TransportProbe threads URL              sends a request while no thread can start, and then another one
///     TransportProbe busy URL                 sends a request while the global queues are blocked
///     TransportProbe pool URL                 sends a request with retries while Swift's thread pool is blocked
///     TransportProbe proxy URL PROXY          sends a request through a proxy
///     TransportProbe multipart URL FILE       posts a form with a text, the file, a stream and bytes
///     TransportProbe upload URL FILE          sends the file with PUT
///     TransportProbe download URL FILE BYTES  downloads to the file, which can't grow beyond BYTES
///     TransportProbe unread URL OTHER         reads one part of a body, and prints how many KiB the memory grew
///     TransportProbe keys URL CA [log]        sends a request, and logs TLS keys if `log` is passed
///     TransportProbe get URL URL …            sends the requests in sequence with one data source
///     TransportProbe lookup URL [SECONDS | suspended]
///                                             lets a request fail during a lookup, by default by cancelling it, and
///                                             sends others
///     TransportProbe heap URL COUNT           sends COUNT requests of each kind, and fails if the heap leaks
///     TransportProbe soak URL SECONDS         sends various requests for a time, and fails if the memory grows
@main
enum TransportProbeCommand {
    static func main() {
        #if os(Linux) && canImport(Glibc)
            let arguments = Array(CommandLine.arguments.dropFirst())
            guard arguments.count >= 2, let url = URL(string: arguments[1]) else { exit(64) }
            let others = Array(arguments.dropFirst(2))
            switch arguments[0] {
            case "exit": leave(url, Int(others.first ?? "") ?? 1, authority: others.dropFirst().first)
            case "descriptors": exhaust(url)
            case "threads": refuseThreads(url)
            case "busy": block(url)
            case "pool": blockSwiftPool(arguments[1])
            case "proxy": report(get(url, source { $0.proxy = .url(others.first ?? "") }))
            case "unread": report(UnreadBody.measure(arguments[1], other: others.first ?? ""))
            case "keys":
                report(
                    get(
                        url,
                        source {
                            $0.tls.certificateAuthorityFile = others.first
                            $0.tls.logsKeys = others.contains("log")
                        }))
            case "get": getAll(Array(arguments.dropFirst()))
            case "lookup": SlowLookup.run(url, end: SlowLookup.End(others.first))
            case "heap":
                if !HeapProbe.isAsBefore(arguments[1], count: Int(others.first ?? "") ?? 1) { exit(1) }
            case "soak": soak(arguments[1], .seconds(Int(others.first ?? "") ?? 1))
            case "multipart": report(get(url, source()) { try form(URL(filePath: others.first ?? ""))(&$0) })
            case "upload":
                report(
                    get(url, source()) {
                        $0.httpMethod = "PUT"
                        $0.streamedBody = .file(URL(filePath: others.first ?? ""))
                    })
            case "download" where others.count == 2:
                download(arguments[1], to: URL(filePath: others[0]), limit: rlim_t(others[1]) ?? 0)
            default: exit(64)
            }
        #endif
    }

    #if os(Linux) && canImport(Glibc)
        static func source(
            _ configure: (inout CurlDataSource.Configuration) -> Void = { _ in }
        ) -> CurlDataSource {
            var configuration = CurlDataSource.Configuration()
            configure(&configuration)
            return CurlDataSource(configuration: configuration)
        }

        /// Returns the response body as text, or the error's description.
        static func get(
            _ url: URL, _ source: CurlDataSource, _ change: (inout URLRequest) throws -> Void = { _ in }
        ) -> String {
            var request = URLRequest(url: url)
            do { try change(&request) } catch { return "\(error)" }
            let answer = Lock("")
            let ended = DispatchSemaphore(value: 0)
            let task = source.dataTask(with: request) { data, _, error in
                answer.withLock {
                    $0 = error.map { "\($0)" } ?? String(decoding: data ?? Data(), as: UTF8.self)
                }
                ended.signal()
            }
            task.resume()
            ended.wait()
            return answer.withLock { $0 }
        }

        private static func getAll(_ urls: [String]) {
            let source = source()
            for url in urls.compactMap({ URL(string: $0) }) { report(get(url, source) + "\n") }
        }

        private static func soak(_ base: String, _ time: Duration) {
            let (isBounded, ended) = (Lock(false), DispatchSemaphore(value: 0))
            Task {
                let result = await Soak.isBounded(base, time)
                isBounded.withLock { $0 = result }
                ended.signal()
            }
            ended.wait()
            if !isBounded.withLock({ $0 }) { exit(1) }
        }

        /// Returns a change that adds a form to a request. The form's names and values are hard to parse.
        private static func form(_ file: URL) throws -> (inout URLRequest) -> Void {
            let option = Request.Option.multipart { form in
                form.append("Grüße\r\nan \"alle\"", named: "greeting")
                form.append("", named: "empty")
                form.append(file: file, named: "fi\"le", fileName: "a \"name\"; x=é\r\n.png")
                form.append(
                    stream: { InputStream(data: Data("streamed".utf8)) }, named: "stream", fileName: "s.txt")
                form.append(Data([0, 13, 10, 45, 45]), named: "bytes")
            }
            let encoded = try Request(.POST, baseURLString: "http://form", options: [option]).urlRequest()
            return { request in
                request.httpMethod = "POST"
                request.setValue(
                    encoded.value(forHTTPHeaderField: "Content-Type"), forHTTPHeaderField: "Content-Type")
                request.streamedBody = encoded.streamedBody
            }
        }

        static func report(_ text: String) {
            FileHandle.standardOutput.write(Data(text.utf8))
        }

        private static func leave(_ url: URL, _ count: Int, authority: String?) {
            let source = source { $0.tls.certificateAuthorityFile = authority }
            let begun = DispatchSemaphore(value: 0)
            for _ in 0..<count { request(url, source, begun) }
            // The process ends after a number of responses that depends on its identifier, in half of the cases with
            // `exit`.
            for _ in 0..<(Int(getpid()) % (count + 1)) { begun.wait() }
            if getpid().isMultiple(of: 2) { exit(0) }
        }

        /// Sends the next request after each response, so that requests are in flight when the process ends.
        private static func request(_ url: URL, _ source: CurlDataSource, _ begun: DispatchSemaphore) {
            let task = source.dataTask(with: URLRequest(url: url)) { _, _, error in
                begun.signal()
                // When the process exits, the loops are closed and each request fails immediately.
                if error == nil { request(url, source, begun) }
            }
            task.resume()
        }

        private static func exhaust(_ url: URL) {
            var taken: [Int32] = []
            var limit = rlimit(rlim_cur: 64, rlim_max: 64)
            _ = setrlimit(__rlimit_resource_t(7), &limit)
            while true {
                let descriptor = open("/dev/null", O_RDONLY)
                if descriptor < 0 { break }
                taken.append(descriptor)
            }
            let source = source()
            let first = get(url, source)
            for descriptor in taken { close(descriptor) }
            var text = first == "ok" ? "unlimited " : ""
            for _ in 0..<20 { text += get(url, source) }
            report(text)
        }

        /// Prints the response that a handler on a queue receives while no Swift task can run.
        private static func blockSwiftPool(_ base: String) {
            let gate = DispatchSemaphore(value: 0)
            // On Linux, each priority has its own threads.
            for priority in [TaskPriority.high, .medium, .low, .background] {
                let begun = DispatchSemaphore(value: 0)
                repeat {
                    Task(priority: priority) { wait(at: gate, begun) }
                } while begun.wait(timeout: .now() + 0.5) == .success
            }
            var service = WebService(baseURLString: base, dataSource: source())
            service.configure {
                $0.retry = RetryPolicy()
                $0.retry.backoff = .init(first: .milliseconds(1))
            }
            let (queue, ended) = (DispatchQueue(label: "handlers"), DispatchSemaphore(value: 0))
            service.GET("/").response(queue) { _, data in
                report(String(decoding: data, as: UTF8.self))
                ended.signal()
            }.responseError(queue) { error in
                report("\(error)")
                ended.signal()
            }
            if ended.wait(timeout: .now() + 240) == .timedOut { report("no response") }
            exit(0)
        }

        private static func wait(at gate: DispatchSemaphore, _ begun: DispatchSemaphore) {
            begun.signal()
            gate.wait()
        }

        /// Runs as the user `nobody` if the user is root, because the limit of `ulimit -u` doesn't apply to root.
        private static func refuseThreads(_ url: URL) {
            if geteuid() == 0 { _ = (setgid(65_534), setuid(65_534)) }
            var limit = rlimit()
            _ = getrlimit(__rlimit_resource_t(6), &limit)
            let count = limit.rlim_cur
            limit.rlim_cur = 0
            _ = setrlimit(__rlimit_resource_t(6), &limit)
            let source = source()
            let first = get(url, source)
            limit.rlim_cur = count
            _ = setrlimit(__rlimit_resource_t(6), &limit)
            report("\(first), then \(get(url, source))")
        }

        /// Limits the size of the process's files, which has the same effect as a full disk.
        private static func download(_ url: String, to file: URL, limit: rlim_t) {
            var limit = rlimit(rlim_cur: limit, rlim_max: limit)
            _ = setrlimit(__rlimit_resource_t(1), &limit)
            signal(SIGXFSZ, SIG_IGN)
            let ended = DispatchSemaphore(value: 0)
            WebService(baseURLString: url).GET("", options: [.download(to: file, resumes: true)])
                .responseCompleted(.utility) { result in
                    switch result {
                    case .success: report("done")
                    case .failure(let error): report("\(error)")
                    }
                    ended.signal()
                }
            ended.wait()
        }

        private static func block(_ url: URL) {
            let gate = DispatchSemaphore(value: 0)
            for _ in 0..<300 { DispatchQueue.global().async { gate.wait() } }
            report(get(url, source()))
            for _ in 0..<300 { gate.signal() }
        }
    #endif
}
