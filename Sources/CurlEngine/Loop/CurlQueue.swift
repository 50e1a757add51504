#if os(Linux) && canImport(Glibc)
    /// Transfers that wait for a connection to their host. libcurl's own queue searches all of them at each completion,
    /// so 4,096 transfers took four times as much CPU time (`Benchmarks "growth of CurlDataSource"`).
    struct CurlQueue {
        final class Waiting {
            // Unowned, because a host holds its places. The queue holds every host that has places.
            unowned let host: Host
            let request: CurlRequest
            let start: UInt64
            private let idleTimeout: UInt64
            fileprivate(set) var countsFrom: UInt64?
            fileprivate(set) var transfer: EngineTransfer?

            init(
                _ transfer: EngineTransfer, _ request: CurlRequest, at host: Host, _ now: UInt64,
                idleTimeout: UInt64
            ) {
                self.request = request
                (self.host, start, countsFrom, self.idleTimeout) = (host, now, now, idleTimeout)
                self.transfer = transfer
            }

            fileprivate var isReady: Bool { transfer != nil && countsFrom != nil }

            var deadline: UInt64 {
                countsFrom.map { CurlClock.moment($0, after: idleTimeout) } ?? CurlClock.never
            }
        }

        final class Host {
            fileprivate var active = 0
            fileprivate var waiting = 0
            fileprivate var suspended = 0
            /// The places of this host. The first `next` of them were already taken or skipped.
            private var order: [Waiting] = []
            private var next = 0

            fileprivate var isIdle: Bool { active + waiting + suspended == 0 }

            fileprivate func add(_ request: Waiting) {
                order.append(request)
                waiting += 1
            }

            fileprivate func takeFirst() -> Waiting? {
                while next < order.count {
                    let request = order[next]
                    next += 1
                    // If transfers always wait, the array would otherwise grow without limit.
                    if next > 1024, next > order.count / 2 { clear() }
                    guard request.isReady else { continue }
                    waiting -= 1
                    if waiting == 0 { clear() }
                    return request
                }
                return nil
            }

            fileprivate func noteRemoval() {
                waiting -= 1
                if waiting == 0 || order.count - next > 2 * waiting + 16 { clear() }
            }

            private func clear() {
                order = waiting == 0 ? [] : order[next...].filter(\.isReady)
                next = 0
            }
        }

        private let connections: Int
        private let isAlwaysHTTP1: Bool
        private let mayShareWithoutTLS: Bool
        private var hosts: [String: Host] = [:]
        private var waiting: [ObjectIdentifier: Waiting] = [:]
        private var freed: [Host] = []

        private var hostsToClear = Self.idleHosts

        private static let idleHosts = 64

        init(_ configuration: EngineConfiguration) {
            let limits = [configuration.connectionsPerHost, configuration.connections].filter { $0 > 0 }
            connections = limits.min() ?? .max
            isAlwaysHTTP1 = configuration.httpVersions == .http1
            mayShareWithoutTLS = configuration.httpVersions == .http2PriorKnowledge
        }

        /// Returns `nil` if the request may share a connection, or if connections aren't limited.
        mutating func host(of request: CurlRequest) -> Host? {
            let mayShare = request.isSecure ? !isAlwaysHTTP1 : mayShareWithoutTLS
            if mayShare || connections == .max { return nil }
            if let host = hosts[request.origin] { return host }
            if hosts.count >= hostsToClear {
                hosts = hosts.filter { !$0.value.isIdle }
                hostsToClear = max(Self.idleHosts, 2 * hosts.count)
            }
            let host = Host()
            hosts[request.origin] = host
            return host
        }

        func enter(_ host: Host) -> Bool {
            guard host.active < connections, host.waiting == 0 else { return false }
            host.active += 1
            return true
        }

        mutating func leave(_ host: Host) {
            host.active -= 1
            if host.waiting > 0 { freed.append(host) }
        }

        mutating func add(_ place: Waiting) {
            guard let transfer = place.transfer else { return }
            waiting[ObjectIdentifier(transfer)] = place
            place.host.add(place)
        }

        @discardableResult
        mutating func remove(_ place: Waiting) -> EngineTransfer? {
            guard let transfer = place.transfer.take() else { return nil }
            waiting[ObjectIdentifier(transfer)] = nil
            if place.countsFrom == nil { place.host.suspended -= 1 } else { place.host.noteRemoval() }
            return transfer
        }

        mutating func removeAll() -> [EngineTransfer] {
            Array(waiting.values).compactMap { remove($0) }
        }

        func suspend(_ place: Waiting) {
            guard place.transfer != nil, place.countsFrom != nil else { return }
            place.countsFrom = nil
            place.host.suspended += 1
            place.host.noteRemoval()
        }

        mutating func proceed(_ place: Waiting, _ now: UInt64) {
            guard place.transfer != nil, place.countsFrom == nil else { return }
            place.countsFrom = now
            place.host.suspended -= 1
            place.host.add(place)
            freed.append(place.host)
        }

        mutating func take() -> (transfer: EngineTransfer, place: Waiting)? {
            while let host = freed.last {
                guard host.active < connections, let place = host.takeFirst(),
                    let transfer = place.transfer.take()
                else {
                    freed.removeLast()
                    continue
                }
                waiting[ObjectIdentifier(transfer)] = nil
                host.active += 1
                return (transfer, place)
            }
            return nil
        }

        mutating func takeLate(_ now: UInt64) -> [EngineTransfer] {
            waiting.values.filter { $0.deadline <= now }.compactMap { remove($0) }
        }

        var deadline: UInt64 { waiting.values.lazy.map(\.deadline).min() ?? CurlClock.never }
    }
#endif
