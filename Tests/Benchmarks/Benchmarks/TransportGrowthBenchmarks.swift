#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import Glibc
    import Swallow

    /// What a request costs by how many are in flight: the same for each number, if nothing walks over all of them. With
    /// 4 096 connections to a host it is more, since libcurl looks through them for a free one, and once more when a request
    /// ends.
    let transportGrowth = [
        growth("CurlDataSource") { _ in CurlDataSource() },
        growth("CurlDataSource, a connection each") { width in
            var configuration = CurlDataSource.Configuration()
            (configuration.connectionsPerHost, configuration.connections) = (width, width)
            return CurlDataSource(configuration: configuration)
        },
        growth("URLSession", isRival: true) { _ in URLSessionDataSource(configuration: .default) },
        growth("URLSession, a connection each", isRival: true) { width in
            let configuration = URLSessionConfiguration.default
            configuration.httpMaximumConnectionsPerHost = width
            return URLSessionDataSource(configuration: configuration)
        },
    ]

    private func growth(
        _ name: String, isRival: Bool = false,
        _ makeSource: @escaping @Sendable (Int) -> any SessionDataTaskDataSource
    ) -> Benchmark {
        Benchmark("transport: growth of \(name)") { () -> [Row] in
            raiseDescriptorLimit()
            let server = try ServerProcess()
            let url = URL.made(of: server.baseURLString + "/bytes/2048")
            let widths = [1, 8, 64, 512, 4096]
            let contenders = widths.map { width in
                let source = makeSource(width)
                let isGoal = width > 8 && !isRival
                return Contender(
                    "\(width) in flight", operations: max(2000, 2 * width),
                    goal: isGoal ? .result(1.5, safe: 4) : nil
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

    /// Has this process, and the server that it starts, open as many sockets as the system lets them.
    private func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if limit.rlim_cur < 10_000 { fail("4 096 connections take more than \(limit.rlim_cur) descriptors") }
    }
#endif
