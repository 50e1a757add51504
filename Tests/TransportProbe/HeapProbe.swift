#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import Glibc
    import Swallow

    /// Measures the memory that requests leave on this process's heap.
    ///
    /// The probe sends each kind of request in several rounds. Pools and containers grow only in some rounds, but a
    /// leak grows in all of them. Therefore the smallest growth of a round counts as the leak.
    enum HeapProbe {
        private enum Kind: String, CaseIterable {
            case posts, deletes, cancelled, timedOut

            var path: String {
                switch self {
                case .posts, .deletes: "/status/200"
                case .cancelled, .timedOut: "/fault/stall"
                }
            }

            /// Only a tenth of the requests time out, because a timeout takes longer than a response.
            func count(_ count: Int) -> Int { self == .timedOut ? count / 10 : count }
        }

        private static let rounds = 8
        /// The number of concurrent requests.
        private static let lanes = 16
        /// The tolerated growth. A leaked list node with its string takes 64 bytes.
        private static let bytesPerRequest = 16
        /// The tolerated growth of a round, in addition to the bytes per request.
        private static let noise = 1024

        /// Sends about `count` requests of each kind, and returns whether the heap doesn't leak.
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
                // The first two rounds fill the pools, so their growth doesn't count.
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
            // Half of the requests may be cancelled before the loop starts them, and the others are in flight.
            if number.isMultiple(of: 2) { waitForLoop(of: source) }
            task.cancel()
        }

        private static func waitForAll(_ source: CurlDataSource) {
            for _ in 0..<lanes { gate.wait() }
            for _ in 0..<lanes { gate.signal() }
            waitForLoop(of: source)
        }

        /// Waits until the loop has processed its commands.
        private static func waitForLoop(of source: CurlDataSource) {
            let visited = DispatchSemaphore(value: 0)
            Task {
                _ = await source.cookies
                visited.signal()
            }
            visited.wait()
        }
    }

    enum Heap {
        /// The allocated bytes. Swift's Glibc module lacks `malloc_info`, so this function finds it by name.
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
            // The last element of each kind is the total of all arenas.
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
