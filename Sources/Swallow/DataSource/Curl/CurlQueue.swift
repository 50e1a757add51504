#if os(Linux) && canImport(Glibc)
    import Foundation

    /// Requests that wait for one of their host's connections, in the order in which they came.
    ///
    /// libcurl would take them all, but it looks through those that wait whenever a transfer ends, and gives each some
    /// kilobytes: of 4 096 in flight each took 158 µs of CPU time, and takes 39 (`Benchmarks "growth of CurlDataSource"`).
    /// With HTTP/2 many requests share a connection, so libcurl gets those at once.
    struct CurlQueue {
        /// A waiting request. It leaves the queue when it is sent, when its task is cancelled, or when its time is over.
        final class Waiting {
            // Unowned, since a host holds its requests. The queue holds each host that has one.
            unowned let host: Host
            /// When it came.
            let start: UInt64
            /// The most time that it may wait.
            private let idleLimit: UInt64
            /// From when on the time counts; nil while the task is suspended, and has no turn.
            fileprivate(set) var countsFrom: UInt64?
            /// Nil once it has left the queue.
            fileprivate(set) var content: (task: CurlDataTask, request: CurlRequest)?

            init(
                _ task: CurlDataTask, _ request: CurlRequest, at host: Host, _ now: UInt64, idleLimit: UInt64
            ) {
                (self.host, start, countsFrom, self.idleLimit) = (host, now, now, idleLimit)
                content = (task, request)
            }

            fileprivate var isReady: Bool { content != nil && countsFrom != nil }

            var limit: UInt64 { countsFrom.map { CurlClock.moment($0, after: idleLimit) } ?? CurlClock.never }
        }

        /// A host with its port.
        final class Host {
            /// How many of its requests libcurl has.
            fileprivate var active = 0
            /// How many wait for a turn.
            fileprivate var waiting = 0
            /// How many wait, but are suspended.
            fileprivate var suspended = 0
            /// Those that wait, in order; some have left. Those before `next` have had their turn.
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
                    // Where there is always one more, those that have had their turn would pile up.
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
        /// Hosts that may have a connection for a waiting request.
        private var freed: [Host] = []

        /// At how many hosts the queue next drops those without requests.
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
            if let host = hosts[request.origin] { return host }
            if hosts.count >= hostsToClear {
                hosts = hosts.filter { !$0.value.isIdle }
                hostsToClear = max(Self.idleHosts, 2 * hosts.count)
            }
            let host = Host()
            hosts[request.origin] = host
            return host
        }

        /// Takes one of a host's connections; false where there is none, or where others wait for one.
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

        mutating func add(_ request: Waiting) {
            guard let task = request.content?.task else { return }
            waiting[ObjectIdentifier(task)] = request
            request.host.add(request)
        }

        /// The request of a task that waits.
        func request(of task: CurlDataTask) -> Waiting? {
            waiting[ObjectIdentifier(task)]
        }

        /// Removes a task that is no longer wanted, if it waits; returns its request.
        @discardableResult
        mutating func remove(_ task: CurlDataTask) -> CurlRequest? {
            guard let removed = waiting.removeValue(forKey: ObjectIdentifier(task)) else { return nil }
            let request = removed.content.take()?.request
            if removed.countsFrom == nil { removed.host.suspended -= 1 } else { removed.host.noteRemoval() }
            return request
        }

        /// Removes all waiting requests, and returns them.
        mutating func removeAll() -> [CurlRequest] {
            waiting.values.compactMap(\.content).compactMap { remove($0.task) }
        }

        /// Lets a task that waits have no turn, and stops counting its time.
        func suspend(_ task: CurlDataTask) {
            guard let request = request(of: task), request.countsFrom != nil else { return }
            request.countsFrom = nil
            request.host.suspended += 1
            request.host.noteRemoval()
        }

        /// Lets a task that was suspended while it waited have its turn again; its time counts from now on.
        mutating func proceed(_ task: CurlDataTask, _ now: UInt64) {
            guard let request = request(of: task), request.countsFrom == nil else { return }
            request.countsFrom = now
            request.host.suspended -= 1
            request.host.add(request)
            freed.append(request.host)
        }

        /// Takes the next request whose host has a free connection.
        mutating func take() -> (task: CurlDataTask, request: CurlRequest, place: Waiting)? {
            while let host = freed.last {
                guard host.active < connections, let next = host.takeFirst(),
                    let content = next.content.take()
                else {
                    freed.removeLast()
                    continue
                }
                waiting[ObjectIdentifier(content.task)] = nil
                host.active += 1
                return (content.task, content.request, next)
            }
            return nil
        }

        /// Removes the requests that have waited for too long.
        mutating func takeLate(_ now: UInt64) -> [(task: CurlDataTask, request: CurlRequest)] {
            let late = waiting.values.filter { $0.limit <= now }.compactMap(\.content)
            for (task, _) in late { remove(task) }
            return late
        }

        /// When the first request will have waited for too long.
        var limit: UInt64 { waiting.values.lazy.map(\.limit).min() ?? CurlClock.never }
    }
#endif
