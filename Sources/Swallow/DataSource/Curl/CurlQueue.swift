#if os(Linux) && canImport(Glibc)
    import Foundation

    /// Requests that wait for one of their host's connections, in the order in which they came.
    ///
    /// libcurl would take them all, but it looks through those that wait whenever a transfer ends, and gives each some
    /// kilobytes: of 4 096 in flight each took 158 µs of CPU time, and takes 39 (`Benchmarks "growth of CurlDataSource"`).
    /// With HTTP/2 many requests share a connection, so those that may use it are libcurl's at once.
    struct CurlQueue {
        struct Waiting {
            let task: CurlDataTask
            let request: CurlRequest
            let host: Host
            /// When the request came, and when its wait is over the limit.
            let start, limit: UInt64
        }

        /// A host with its port.
        final class Host {
            /// How many of its requests libcurl has.
            fileprivate var active = 0
            /// The waiting tasks, in order; some may have left since.
            fileprivate var order: [ObjectIdentifier] = []
            /// The index in `order` of the next task.
            fileprivate var next = 0
            /// How many tasks from `next` on have left.
            fileprivate var gone = 0

            fileprivate var isIdle: Bool { active == 0 && next == order.count }
        }

        private let connections: Int
        private let isAlwaysHTTP1: Bool
        private let mayShareWithoutTLS: Bool
        private var hosts: [String: Host] = [:]
        private var waiting: [ObjectIdentifier: Waiting] = [:]
        /// Hosts that may have a connection for a waiting request.
        private var freed: [Host] = []

        /// At how many hosts those without requests are forgotten.
        private var hostsToClear = Self.idleHosts

        private static let idleHosts = 64

        init(_ configuration: CurlDataSource.Configuration) {
            let limits = [configuration.connectionsPerHost, configuration.connections].filter { $0 > 0 }
            connections = limits.min() ?? .max
            isAlwaysHTTP1 = configuration.httpVersions == .http1
            mayShareWithoutTLS = configuration.httpVersions == .http2PriorKnowledge
        }

        /// The host whose connections a request takes; nil if it may share one, or there is no limit.
        mutating func host(of request: CurlRequest) -> Host? {
            let mayShare = request.isSecure ? !isAlwaysHTTP1 : mayShareWithoutTLS
            if mayShare || connections == .max { return nil }
            if let host = hosts[request.authority] { return host }
            if hosts.count >= hostsToClear {
                hosts = hosts.filter { !$0.value.isIdle }
                hostsToClear = max(Self.idleHosts, 2 * hosts.count)
            }
            let host = Host()
            hosts[request.authority] = host
            return host
        }

        /// Takes one of a host's connections; false where there is none, or where others wait for one.
        func enter(_ host: Host) -> Bool {
            guard host.active < connections, host.next == host.order.count else { return false }
            host.active += 1
            return true
        }

        /// Gives a host's connection back.
        mutating func leave(_ host: Host) {
            host.active -= 1
            if host.next < host.order.count { freed.append(host) }
        }

        mutating func add(_ request: Waiting) {
            let id = ObjectIdentifier(request.task)
            waiting[id] = request
            request.host.order.append(id)
        }

        /// Removes a task that is no longer wanted, if it waits.
        mutating func remove(_ task: CurlDataTask) {
            guard let host = waiting.removeValue(forKey: ObjectIdentifier(task))?.host else { return }
            host.gone += 1
            guard host.gone > (host.order.count - host.next) / 2 else { return }
            host.order = host.order[host.next...].filter { waiting[$0] != nil }
            (host.next, host.gone) = (0, 0)
        }

        /// Takes the next request whose host has a free connection.
        mutating func take() -> Waiting? {
            while let host = freed.last {
                if host.active < connections, host.next < host.order.count {
                    host.next += 1
                    if let next = waiting.removeValue(forKey: host.order[host.next - 1]) {
                        host.active += 1
                        return next
                    }
                    host.gone -= 1
                } else {
                    freed.removeLast()
                    if host.next == host.order.count { (host.order, host.next, host.gone) = ([], 0, 0) }
                }
            }
            return nil
        }

        /// Removes the requests that have waited for too long.
        mutating func takeLate(_ now: UInt64) -> [Waiting] {
            let late = waiting.values.filter { $0.limit <= now }
            for request in late { remove(request.task) }
            return late
        }

        /// When the first request will have waited for too long.
        var limit: UInt64 { waiting.values.lazy.map(\.limit).min() ?? CurlClock.never }
    }
#endif
