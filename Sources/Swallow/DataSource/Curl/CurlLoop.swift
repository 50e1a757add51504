#if os(Linux)
    import Foundation
    import Glibc

    /// A thread with an event loop, for as long as anybody holds this.
    ///
    /// Data sources and exchanges hold it, and the loop holds the exchanges that are under way; so when it goes away,
    /// none is left.
    final class CurlLoop: Sendable {
        let configuration: CurlDataSource.Configuration
        /// Where exchanges go on when the loop is done with them. A concurrent queue of their own took 2 to 8 %
        /// more CPU time for 2 KB.
        let completions = DispatchQueue.global()
        private let inbox: CurlInbox?
        private let ended = DispatchSemaphore(value: 0)

        init(_ configuration: CurlDataSource.Configuration) {
            self.configuration = configuration
            guard CurlDataSource.isAvailable, let inbox = CurlInbox() else {
                inbox = nil
                return
            }
            self.inbox = inbox
            let thread = Thread { [ended] in
                CurlEventLoop(inbox, configuration).run()
                ended.signal()
            }
            thread.name = "Swallow.curl"
            thread.start()
        }

        deinit {
            guard let inbox else { return }
            // The loop's own thread may be the last to let go of an exchange; it can't wait for itself.
            if inbox.close() { ended.wait() }
        }

        /// Has the loop look after an exchange whose state has changed; says whether there is a loop.
        func attend(to exchange: CurlDataTask) -> Bool {
            inbox?.add(exchange) ?? false
        }
    }
#endif
