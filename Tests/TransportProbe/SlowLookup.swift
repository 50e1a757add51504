#if os(Linux) && canImport(Glibc)
    import Dispatch
    import Foundation
    import FoundationNetworking
    import Glibc
    import Swallow

    /// Sends requests to `slow.test`. A preloaded library blocks the lookup of this host.
    enum SlowLookup {
        /// Prints the response to a request that is sent to `url` during the lookup, and the response of `slow.test`
        /// after it.
        ///
        /// - Parameter timeout: The timeout of the request that starts the lookup. If it is `nil`, the probe cancels
        ///   the request.
        static func run(_ url: URL, timeout: TimeInterval?) {
            let host = "http://slow.test:\(url.port ?? 80)"
            guard let waitForLookup = function("wait_for_lookup"), let endLookups = function("end_lookups"),
                let first = URL(string: host + "/first"), let last = URL(string: host + "/last")
            else { exit(64) }
            // With one connection per host, the last request starts only after libcurl has finished the first.
            let source = TransportProbeCommand.source { $0.connectionsPerHost = 1 }
            var request = URLRequest(url: first)
            if let timeout { request.timeoutInterval = timeout }
            let ended = DispatchSemaphore(value: 0)
            let task = source.dataTask(with: request) { _, _, _ in ended.signal() }
            task.resume()
            if timeout == nil {
                waitForLookup()
                task.cancel()
            }
            ended.wait()
            TransportProbeCommand.report(TransportProbeCommand.get(url, source))
            endLookups()
            TransportProbeCommand.report(", " + TransportProbeCommand.get(last, source))
        }

        private static func function(_ name: String) -> (@convention(c) () -> Void)? {
            dlsym(nil, name).map { unsafeBitCast($0, to: (@convention(c) () -> Void).self) }
        }
    }
#endif
