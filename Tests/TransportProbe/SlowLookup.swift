#if os(Linux) && canImport(Glibc)
    import Dispatch
    import Foundation
    import FoundationNetworking
    import Glibc
    import Swallow

    /// Sends requests to `slow.test`. A preloaded library blocks the lookup of this host.
    enum SlowLookup {
        /// How the request that starts the lookup fails.
        enum End {
            case cancelled
            case suspendedAndCancelled
            case timedOut(after: TimeInterval)

            init(_ argument: String?) {
                switch argument {
                case nil: self = .cancelled
                case "suspended": self = .suspendedAndCancelled
                case let seconds?: self = .timedOut(after: Double(seconds) ?? 0)
                }
            }
        }

        /// Prints the response to a request that is sent to `url` during the lookup, and the response of `slow.test`
        /// after it. Between them, waits until the first request is released.
        static func run(_ url: URL, end: End) {
            let host = "http://slow.test:\(url.port ?? 80)"
            guard let waitForLookup = function("wait_for_lookup"), let endLookups = function("end_lookups"),
                let first = URL(string: host + "/first"), let last = URL(string: host + "/last")
            else { exit(64) }
            // With one connection per host, the last request starts only after libcurl has finished the first.
            let source = TransportProbeCommand.source { $0.connectionsPerHost = 1 }
            let released = DispatchSemaphore(value: 0)
            failRequest(first, source, end, waitForLookup, released)
            TransportProbeCommand.report(TransportProbeCommand.get(url, source))
            endLookups()
            released.wait()
            TransportProbeCommand.report(", " + TransportProbeCommand.get(last, source))
        }

        private static func failRequest(
            _ url: URL, _ source: CurlDataSource, _ end: End, _ waitForLookup: () -> Void,
            _ released: DispatchSemaphore
        ) {
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            let token = Token { released.signal() }
            request.streamedBody = .stream(length: 0) {
                withExtendedLifetime(token) { InputStream(data: Data()) }
            }
            if case .timedOut(let seconds) = end { request.timeoutInterval = seconds }
            let ended = DispatchSemaphore(value: 0)
            let task = source.dataTask(with: request) { _, _, _ in ended.signal() }
            task.resume()
            switch end {
            case .cancelled, .suspendedAndCancelled:
                waitForLookup()
                if case .suspendedAndCancelled = end { task.suspend() }
                task.cancel()
            case .timedOut: break
            }
            ended.wait()
        }

        private final class Token: Sendable {
            private let whenReleased: @Sendable () -> Void
            init(_ whenReleased: @escaping @Sendable () -> Void) { self.whenReleased = whenReleased }
            deinit { whenReleased() }
        }

        private static func function(_ name: String) -> (@convention(c) () -> Void)? {
            dlsym(nil, name).map { unsafeBitCast($0, to: (@convention(c) () -> Void).self) }
        }
    }
#endif
