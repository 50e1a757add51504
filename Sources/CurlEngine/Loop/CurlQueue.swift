#if os(Linux) && canImport(Glibc)
    /// Transfers that wait for a connection to their host. libcurl's own queue searches all of them at each completion,
    /// so 4,096 transfers took four times as much CPU time (`Benchmarks "growth of CurlDataSource"`).
    struct CurlQueue {
        final class Waiting {
            let transfer: EngineTransfer
            let request: CurlRequest
            let host: Host
            let start: UInt64
            private let idleTimeout: UInt64
            fileprivate(set) var countsFrom: UInt64?
            // Unowned, because the queue holds all places.
            fileprivate unowned var previous: Waiting?
            fileprivate unowned var next: Waiting?

            init(
                _ transfer: EngineTransfer, _ request: CurlRequest, at host: Host, _ now: UInt64,
                idleTimeout: UInt64
            ) {
                (self.transfer, self.request) = (transfer, request)
                (self.host, start, countsFrom, self.idleTimeout) = (host, now, now, idleTimeout)
            }

            var deadline: UInt64 {
                countsFrom.map { CurlClock.moment($0, after: idleTimeout) } ?? CurlClock.never
            }
        }

        final class Host {
            fileprivate var active = 0
            /// The number of places, including suspended ones.
            fileprivate var places = 0
            /// The ends of a linked list of the places that aren't suspended.
            fileprivate private(set) unowned var first: Waiting?
            private unowned var last: Waiting?

            fileprivate func append(_ place: Waiting) {
                place.previous = last
                if let last { last.next = place } else { first = place }
                last = place
            }

            fileprivate func unlink(_ place: Waiting) {
                if let previous = place.previous { previous.next = place.next } else { first = place.next }
                if let next = place.next { next.previous = place.previous } else { last = place.previous }
                (place.previous, place.next) = (nil, nil)
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
                hosts = hosts.filter { $0.value.active + $0.value.places > 0 }
                hostsToClear = max(Self.idleHosts, 2 * hosts.count)
            }
            let host = Host()
            hosts[request.origin] = host
            return host
        }

        func enter(_ host: Host) -> Bool {
            guard host.active < connections, host.first == nil else { return false }
            host.active += 1
            return true
        }

        mutating func leave(_ host: Host) {
            host.active -= 1
            if host.first != nil { freed.append(host) }
        }

        mutating func add(_ place: Waiting) {
            waiting[ObjectIdentifier(place)] = place
            place.host.places += 1
            place.host.append(place)
        }

        mutating func remove(_ place: Waiting) {
            waiting[ObjectIdentifier(place)] = nil
            place.host.places -= 1
            if place.countsFrom != nil { place.host.unlink(place) }
        }

        /// Removes the places whose deadline isn't later than a moment.
        mutating func takeLate(_ now: UInt64) -> [Waiting] {
            let late = waiting.values.filter { $0.deadline <= now }
            for place in late { remove(place) }
            return late
        }

        mutating func removeAll() -> [Waiting] {
            let all = Array(waiting.values)
            for place in all { remove(place) }
            return all
        }

        func suspend(_ place: Waiting) {
            guard place.countsFrom != nil else { return }
            place.countsFrom = nil
            place.host.unlink(place)
        }

        mutating func proceed(_ place: Waiting, _ now: UInt64) {
            guard place.countsFrom == nil else { return }
            place.countsFrom = now
            place.host.append(place)
            freed.append(place.host)
        }

        mutating func take() -> Waiting? {
            while let host = freed.last {
                guard host.active < connections, let place = host.first else {
                    freed.removeLast()
                    continue
                }
                remove(place)
                host.active += 1
                return place
            }
            return nil
        }

        var deadline: UInt64 { waiting.values.lazy.map(\.deadline).min() ?? CurlClock.never }
    }
#endif
