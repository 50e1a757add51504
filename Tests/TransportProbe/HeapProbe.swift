#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import Glibc
    import Swallow

    /// What requests leave behind in this process's heap.
    ///
    /// The probe sends each kind of request in several rounds and reads the heap after each round. Pools and containers
    /// grow in some of the rounds only, but a leak grows in all of them. The least growth between two rounds is therefore the leak.
    enum HeapProbe {
        private enum Kind: String, CaseIterable {
            case posts, deletes, cancelled, timedOut

            var path: String {
                switch self {
                case .posts, .deletes: "/status/200"
                case .cancelled, .timedOut: "/fault/stall"
                }
            }

            /// A timeout takes longer than a response.
            func count(_ count: Int) -> Int { self == .timedOut ? count / 10 : count }
        }

        private static let rounds = 8
        /// The number of requests that are under way at a time.
        private static let lanes = 16
        /// The growth that isn't a leak yet. A leaked node of a list takes 64 bytes with its string.
        private static let bytesPerRequest = 16
        /// The growth of a round that isn't a leak, however few requests it has.
        private static let noise = 1024

        /// Sends so many requests of each kind, a tenth of them for timeouts, and returns whether the heap is as it was.
        ///
        /// - Parameter base: A server with the standard routes of the package's `LoopbackServer`.
        static func isAsBefore(_ base: String, count: Int) -> Bool {
            let source = CurlDataSource()
            var isAsBefore = true
            for kind in Kind.allCases {
                let count = kind.count(count)
                let round = max(1, count / rounds)
                var sizes: [Int] = []
                let start = ContinuousClock.now
                // The first round fills the pools, so it doesn't count.
                for _ in 0...rounds {
                    for request in 0..<round { send(kind, request, base, source) }
                    waitForAll(source)
                    sizes.append(Heap.bytesInUse)
                }
                let growths = zip(sizes.dropFirst(), sizes).map { $0 - $1 }
                let leak = growths.dropFirst().min() ?? 0
                if leak > round * bytesPerRequest + noise { isAsBefore = false }
                print(
                    "\(kind.rawValue): \(growths) bytes in rounds of \(round), \(ContinuousClock.now - start)"
                )
            }
            return isAsBefore
        }

        private static let gate = DispatchSemaphore(value: lanes)

        private static func send(_ kind: Kind, _ number: Int, _ base: String, _ source: CurlDataSource) {
            guard let url = URL(string: base + kind.path) else { return }
            gate.wait()
            var request = URLRequest(url: url)
            switch kind {
            case .posts:
                request.httpMethod = "POST"
                request.httpBody = Data("{\"id\":1}".utf8)
            case .deletes: request.httpMethod = "DELETE"
            case .timedOut: request.timeoutInterval = 0.01
            case .cancelled: break
            }
            let task = source.dataTask(with: request) { _, _, _ in gate.signal() }
            task.resume()
            guard kind == .cancelled else { return }
            // Half of the requests are cancelled before the loop knows them, and the others on their way.
            if number.isMultiple(of: 2) { waitForLoop(of: source) }
            task.cancel()
        }

        private static func waitForAll(_ source: CurlDataSource) {
            for _ in 0..<lanes { gate.wait() }
            for _ in 0..<lanes { gate.signal() }
            waitForLoop(of: source)
        }

        /// Waits until the loop has looked at all tasks whose state has changed.
        private static func waitForLoop(of source: CurlDataSource) {
            let visited = DispatchSemaphore(value: 0)
            Task {
                _ = await source.cookies
                visited.signal()
            }
            visited.wait()
        }
    }

    /// The heap of this process.
    enum Heap {
        /// The bytes that are allocated. Swift's module of the C library lacks `malloc_info`, so it is looked up by name.
        static var bytesInUse: Int {
            typealias Report = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
            var text: UnsafeMutablePointer<CChar>?
            var length = 0
            guard let symbol = dlsym(nil, "malloc_info"), let stream = open_memstream(&text, &length) else {
                return 0
            }
            _ = unsafeBitCast(symbol, to: Report.self)(0, stream)
            fclose(stream)
            defer { free(text) }
            // The last element of each kind is the sum of all arenas.
            let lines = text.map { String(cString: $0) }?.split(separator: "\n") ?? []
            func size(_ element: String) -> Int {
                let line = lines.last { $0.hasPrefix(element) }
                return line?.split(separator: "size=\"").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
            }
            return size("<system type=\"current\"") + size("<total type=\"mmap\"")
                - size("<total type=\"fast\"") - size("<total type=\"rest\"")
        }
    }
#endif
