#if os(Linux) && canImport(Glibc)
    import Foundation
    import Swallow

    /// Sends as many requests in a few minutes as an app sends in hours. Some are cached, and some end early.
    enum Soak {
        private enum Kind: CaseIterable {
            case get, post, cached, resetBeforeHead, resetMidBody, truncated, timedOut, cancelled
        }

        private struct Size {
            let heap = Heap.bytesInUse
            let process = residentBytes
        }

        private static let lanes = 16
        private static let round = Duration.seconds(5)
        /// The tolerated growth of the heap and of the process in bytes, in addition to the bytes per request.
        private static let (heapNoise, processNoise) = (1 << 20, 4 << 20)
        /// The tolerated growth per request. If all requests of one kind leak 64 bytes, the growth is 8 bytes per
        /// request. In a minute of 400,000 requests, the heap grew by 1 byte per request, and the process by 2.
        private static let bytesPerRequest = 4

        /// Sends requests of all kinds for a time, and returns whether the memory stays within its limits.
        ///
        /// - Parameter base: The root URL of the server that `Benchmarks --serve` starts.
        static func isBounded(_ base: String, _ time: Duration) async -> Bool {
            var service = WebService(baseURLString: base, dataSource: CurlDataSource())
            service.unhandledError = nil
            service.configure { $0.pipeline[.rawData].cacheUsing(MemoryCache()) }
            let end = ContinuousClock.now + time
            var (sizes, requests): ([Size], Int) = ([], 0)
            repeat {
                let count = await send(through: service)
                requests += count
                let size = Size()
                sizes.append(size)
                print("\(count) requests, \(size.heap) bytes in the heap, \(size.process) in all")
            } while ContinuousClock.now < end
            // The first round fills pools and caches, so it doesn't count.
            let counted = sizes.dropFirst()
            let third = max(1, counted.count / 3)
            func growth(_ size: KeyPath<Size, Int>) -> Int {
                let (first, last) = (counted.prefix(third), counted.suffix(third))
                return (last.map { $0[keyPath: size] }.min() ?? 0)
                    - (first.map { $0[keyPath: size] }.min() ?? 0)
            }
            print("The heap has grown by \(growth(\.heap)) bytes, and the process by \(growth(\.process)).")
            // Between the first and the last third of the rounds, two thirds of the requests are sent.
            let limit = requests * 2 / 3 * bytesPerRequest
            return growth(\.heap) <= heapNoise + limit && growth(\.process) <= processNoise + limit
        }

        /// Sends requests for one round, waits until all have ended, and returns their number.
        private static func send(through service: WebService) async -> Int {
            let end = ContinuousClock.now + round
            return await withTaskGroup(of: Int.self) { group in
                for lane in 0..<lanes {
                    group.addTask {
                        var count = 0
                        while ContinuousClock.now < end {
                            await send(Kind.allCases[(lane + count) % Kind.allCases.count], count, service)
                            count += 1
                        }
                        return count
                    }
                }
                return await group.reduce(0, +)
            }
        }

        private static func send(_ kind: Kind, _ number: Int, _ service: WebService) async {
            switch kind {
            case .get: _ = await service.GET("/json").result
            case .post: _ = await service.POST("/echo", parameters: ["item": "tea"]).result
            case .cached:
                let fields: Parameters = ["Cache-Control": "max-age=1", "ETag": "\"\(number % 50)\""]
                _ = await service.GET("/headers", parameters: fields).result
            case .resetBeforeHead: _ = await service.GET("/fault/reset-before-head").result
            case .resetMidBody: _ = await service.GET("/fault/reset-mid-body").result
            case .truncated: _ = await service.GET("/fault/truncated").result
            case .timedOut:
                _ = await service.GET("/fault/stall", options: [.timeout(.milliseconds(10))]).result
            case .cancelled:
                let task = service.GET("/fault/stall")
                // Some requests are cancelled before they are sent, and others while they wait for the response.
                if number.isMultiple(of: 3) { try? await Task.sleep(for: .milliseconds(1)) }
                task.cancel()
                _ = await task.result
            }
        }

        private static var residentBytes: Int {
            let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
                .split(separator: " ").dropFirst().first.flatMap { Int($0) }
            return (pages ?? 0) * 4096
        }
    }
#endif
