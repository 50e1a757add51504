#if os(Linux) && canImport(Glibc)
    /// Transfers that wait for one of their host's connections, in the order in which they were started.
    ///
    /// libcurl would take them all, but it looks through all waiting transfers whenever one ends, and allocates some
    /// kilobytes for each. With 4,096 transfers, each took 158 µs of CPU time, and takes 39 with this queue (`Benchmarks
    /// "growth of CurlDataSource"`). With HTTP/2, many requests share a connection, so libcurl receives them at once.
    struct CurlQueue {
        /// The place of a transfer that waits. The transfer leaves it when it is sent or cancelled, or has waited for too
        /// long.
        final class Waiting {
            // Unowned, because a host holds its places. The queue holds each host that has one.
            unowned let host: Host
            /// When the transfer was started.
            let start: UInt64
            private let idleLimit: UInt64
            /// Since when the time counts. `nil` while the transfer is paused, and has no turn.
            fileprivate(set) var countsFrom: UInt64?
            /// `nil` once the transfer has left.
            fileprivate(set) var transfer: EngineTransfer?

            init(_ transfer: EngineTransfer, at host: Host, _ now: UInt64, idleLimit: UInt64) {
                (self.host, start, countsFrom, self.idleLimit) = (host, now, now, idleLimit)
                self.transfer = transfer
            }

            fileprivate var isReady: Bool { transfer != nil && countsFrom != nil }

            var limit: UInt64 { countsFrom.map { CurlClock.moment($0, after: idleLimit) } ?? CurlClock.never }
        }

        /// A host with its port.
        final class Host {
            /// How many of its requests libcurl has.
            fileprivate var active = 0
            /// How many wait for a turn.
            fileprivate var waiting = 0
            /// How many wait, but are paused.
            fileprivate var suspended = 0
            /// Waiting transfers in arrival order, including some that have left. Those before `next` have had their turn.
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
                    // If the host is never idle, places that have had their turn would pile up.
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
        /// Hosts that may have a connection for a waiting transfer.
        private var freed: [Host] = []

        /// At how many hosts the queue next drops those without requests.
        private var hostsToClear = Self.idleHosts

        private static let idleHosts = 64

        init(_ configuration: EngineConfiguration) {
            let limits = [configuration.connectionsPerHost, configuration.connections].filter { $0 > 0 }
            connections = limits.min() ?? .max
            isAlwaysHTTP1 = configuration.httpVersions == .http1
            mayShareWithoutTLS = configuration.httpVersions == .http2PriorKnowledge
        }

        /// The host whose connections a request takes. `nil` if it may share one, or there is no limit.
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

        /// Takes one of a host's connections. Returns `false` if none is free, or others wait for one.
        func enter(_ host: Host) -> Bool {
            guard host.active < connections, host.waiting == 0 else { return false }
            host.active += 1
            return true
        }

        /// Gives a host's connection back.
        mutating func leave(_ host: Host) {
            host.active -= 1
            if host.waiting > 0 { freed.append(host) }
        }

        mutating func add(_ place: Waiting) {
            guard let transfer = place.transfer else { return }
            waiting[ObjectIdentifier(transfer)] = place
            place.host.add(place)
        }

        /// Removes a transfer, and returns it.
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

        /// Gives a transfer no turn, and stops counting its time.
        func suspend(_ place: Waiting) {
            guard place.transfer != nil, place.countsFrom != nil else { return }
            place.countsFrom = nil
            place.host.suspended += 1
            place.host.noteRemoval()
        }

        /// Gives a suspended transfer a turn again. Its time counts from now on.
        mutating func proceed(_ place: Waiting, _ now: UInt64) {
            guard place.transfer != nil, place.countsFrom == nil else { return }
            place.countsFrom = now
            place.host.suspended -= 1
            place.host.add(place)
            freed.append(place.host)
        }

        /// Takes the next transfer whose host has a free connection.
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

        /// Removes the transfers that have waited for too long.
        mutating func takeLate(_ now: UInt64) -> [EngineTransfer] {
            waiting.values.filter { $0.limit <= now }.compactMap { remove($0) }
        }

        /// When the first transfer will have waited for too long.
        var limit: UInt64 { waiting.values.lazy.map(\.limit).min() ?? CurlClock.never }
    }
#endif
