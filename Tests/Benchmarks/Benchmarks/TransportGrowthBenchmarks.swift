#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import Glibc
    import Swallow

    /// The cost of a request while 1 to 4,096 requests are in flight. Swallow's part is the same for each number.
    ///
    /// libcurl looks through all connections to a host before and after each request, so its part grows with their
    /// number. How fast it grows depends on the processor's caches, so 4,096 connections to one host have no goal.
    let transportGrowth = [
        growth("CurlDataSource", goals: 64...4096) { _ in CurlDataSource() },
        growth("CurlDataSource, a connection each", goals: 64...512) { width in
            var configuration = CurlDataSource.Configuration()
            (configuration.connectionsPerHost, configuration.connections) = (width, width)
            return CurlDataSource(configuration: configuration)
        },
        growth("URLSession") { _ in URLSessionDataSource(configuration: .default) },
        growth("URLSession, a connection each") { width in
            let configuration = URLSessionConfiguration.default
            configuration.httpMaximumConnectionsPerHost = width
            return URLSessionDataSource(configuration: configuration)
        },
    ]

    private func growth(
        _ name: String, goals: ClosedRange<Int>? = nil,
        _ makeSource: @escaping @Sendable (Int) -> any SessionDataTaskDataSource
    ) -> Benchmark {
        Benchmark("transport: growth of \(name)") { () -> [Row] in
            raiseDescriptorLimit()
            let server = try ServerProcess()
            let url = URL.made(of: server.baseURLString + "/bytes/2048")
            let widths = [1, 8, 64, 512, 4096]
            let contenders = widths.map { width in
                let source = makeSource(width)
                return Contender(
                    "\(width) in flight", operations: max(2000, 2 * width),
                    goal: goals?.contains(width) == true ? .result(1.5, safe: 4) : nil
                ) { operations in
                    get(url, 2048, operations, width, source)
                    withExtendedLifetime(server) {}
                }
            }
            let measurement = Measurement(rounds: 5, contenders)
            return contenders.indices.map { index in
                Row(
                    contenders[index].label, cost: measurement.cost(of: index),
                    result: index == 1 ? nil : .ratio(measurement.ratio(of: index, to: 1)),
                    goal: contenders[index].goal)
            }
        }
    }

    /// Raises the limit of open files to the system's maximum, for this process and the server that it starts.
    private func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if limit.rlim_cur < 10_000 { fail("4 096 connections take more than \(limit.rlim_cur) descriptors") }
    }
#endif
