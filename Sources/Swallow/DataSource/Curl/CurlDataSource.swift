#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
    import Foundation
    import FoundationNetworking

    /// A data source that sends requests with FoundationNetworking's libcurl. If available, it is the default on Linux.
    ///
    /// The requests share connections, cookies and one thread. Completions are called on other threads, and may block
    /// them. The configuration's ``RedirectPolicy`` handles redirects.
    ///
    /// - If the server closes a reused connection instead of responding, libcurl sends a request with an idempotent
    ///   method (RFC 9110 §9.2.2) again, unless its body can be sent only once. Others fail with
    ///   `URLError(.networkConnectionLost)`.
    /// - A request with a malformed method or header field fails with a ``ServiceError`` of reason `.invalidRequest`.
    /// - If a response is ambiguous (RFC 9112 §6.3), the request fails with `URLError(.badServerResponse)`. Examples
    ///   are different `Content-Length` fields, a `Content-Length` beside a `Transfer-Encoding`, or an unrequested 101.
    /// - Bodies stream. The transfer pauses while the task is suspended. It only stops receiving while its receiver is
    ///   too slow. The server then has to wait as soon as the system's buffers are full. Over HTTP/2, libcurl may
    ///   receive up to 10 MiB more and store them in memory. Versions before 8.1 may receive even more.
    /// - There is no URL cache, and a 401 is an ordinary response.
    ///
    /// A released data source lets its tasks complete, closes its connections and stops its thread.
    public final class CurlDataSource: SessionDataTaskDataSource {
        /// Whether this process can use libcurl 7.68 or newer. If not, tasks fail with `URLError(.unsupportedURL)`.
        public static let isAvailable: Bool = {
            // This makes FoundationNetworking initialize libcurl before `CurlLibrary` does.
            if !CurlLibrary.initializesSafely { _ = URLSession.shared }
            return CurlLibrary.isAvailable
        }()

        let loop: EngineLoop
        let openAttempts = OpenAttempts()
        private let configuration: Configuration

        package var maximumBodySize: Int { configuration.maximumResponseSize ?? .max }

        /// Creates a data source with its own connections, and with its own thread that starts when it is first needed.
        ///
        /// If the system can't start the thread, the request fails with a ``ServiceError`` of reason
        /// `.transport(URLError(.resourceUnavailable))`. The next request tries again.
        public convenience init(configuration: Configuration = Configuration()) {
            _ = Self.isAvailable
            self.init(configuration, EngineLoop(EngineConfiguration(configuration)))
        }

        init(_ configuration: Configuration, _ loop: EngineLoop) {
            self.configuration = configuration
            self.loop = loop
        }

        /// Stops accepting tasks, lets running tasks complete, and closes the connections.
        ///
        /// Tasks that are started later fail with `URLError(.cancelled)`. So do tasks that are incomplete after
        /// `limit`, or when the Swift task that calls this is cancelled. Cookies are written to their file. Afterwards,
        /// the data source has no cookies and sends nothing.
        ///
        /// A retry, and a new attempt with another credential, count as tasks that are started later.
        ///
        /// - Parameter limit: The maximum time for running tasks to complete. Zero cancels them immediately.
        public func shutDown(within limit: Duration) async {
            await openAttempts.close(within: limit) { [loop] in loop.stopSending() }
            await loop.close()
        }

        /// Returns a task that has not started.
        public func dataTask(
            with request: URLRequest,
            completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
        ) -> any DataTask {
            ManagedDataTask(completion) { ExchangeOperation(request, self, $0) }
        }
    }

    extension CurlDataSource: TransferSource, SizedDataSource {
        var redirectPolicy: RedirectPolicy { configuration.redirectPolicy }
        var attemptTimeout: Duration? { configuration.totalTimeout }

        func transfer(for request: URLRequest) -> any Transfer { EngineBackedTransfer(request, loop) }

        var hasEventLoop: Bool { true }
    }
#endif
