#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
    import Foundation
    import FoundationNetworking

    /// Sends requests with the libcurl that FoundationNetworking has loaded. It is the default data source on Linux,
    /// because it takes an eighth of URLSession's CPU time.
    ///
    /// All its requests share connections, cookies and one thread. Completions are called on its other threads, and a
    /// completion that blocks doesn't delay other completions. The ``RedirectPolicy`` of its configuration handles
    /// redirects, as with ``URLSessionDataSource``.
    ///
    /// - libcurl repeats a request if a reused connection turns out to be closed. With this data source, it does so
    ///   only once, on a new connection, and only for idempotent methods (RFC 9110 §9.2.2). Requests with other methods
    ///   fail with `URLError(.networkConnectionLost)`.
    /// - If a request has a header field or a method that can't be sent unchanged, it fails with a ``ServiceError`` of
    ///   reason `.invalidRequest`, and sends nothing.
    /// - If a response is ambiguous, it fails with `URLError(.badServerResponse)` (RFC 9112 §6.3). Examples are
    ///   `Content-Length` fields that differ or aren't numbers, a `Content-Length` beside a `Transfer-Encoding`, two
    ///   `Location` fields, and a 101 that wasn't requested. A head larger than ``Configuration/maximumHeadSize`` fails
    ///   with the same error.
    /// - Bodies stream. While a task is suspended, or 128 KB wait for its receiver, the transfer pauses, and the server
    ///   has to wait after the system's buffers are full. Compressed bytes are decompressed only when they are needed.
    ///   Over HTTP/2, the server may still send as much as libcurl's window for the stream permits, and libcurl stores
    ///   that in memory. The window is 32 MB with libcurl 7 and 10 MB with later versions. Cancelling a streamed body
    ///   closes its connection over HTTP/1.1, and resets the stream over HTTP/2.
    /// - There is no URL cache, and a 401 is an ordinary response.
    ///
    /// When a data source is released, it first lets its tasks complete. It then closes its connections and stops its
    /// thread.
    public final class CurlDataSource: SessionDataTaskDataSource {
        /// Whether this process has a libcurl that is new enough (7.68). Without it, every task of a `CurlDataSource`
        /// fails with `URLError(.unsupportedURL)`.
        public static let isAvailable: Bool = {
            // This makes FoundationNetworking initialize libcurl before the engine does.
            if !CurlLibrary.initializesSafely { _ = URLSession.shared }
            return CurlLibrary.isAvailable
        }()

        let loop: EngineLoop
        let openAttempts = OpenAttempts()
        private let configuration: Configuration

        package var maximumBodySize: Int { configuration.maximumResponseSize ?? .max }

        /// Creates a data source with its own connections and its own thread, which starts with the first request.
        ///
        /// If the system refuses the thread, for example because the user has too many, the request fails with a
        /// ``ServiceError`` of reason `.transport(URLError(.resourceUnavailable))`. The next request tries again.
        public convenience init(configuration: Configuration = Configuration()) {
            // FoundationNetworking has to initialize libcurl first.
            _ = Self.isAvailable
            self.init(configuration, EngineLoop(EngineConfiguration(configuration)))
        }

        init(_ configuration: Configuration, _ loop: EngineLoop) {
            self.configuration = configuration
            self.loop = loop
        }

        /// Stops accepting tasks, lets running tasks complete, and closes the connections. Use this for example when a
        /// server shuts down.
        ///
        /// Tasks that are resumed after this call fail with `URLError(.cancelled)`. Tasks that are still running or
        /// suspended when the time is over fail with the same error. This also happens if the Swift task that waits
        /// here is cancelled. Cookies that are stored in a file are written. Afterwards, the data source has no cookies
        /// and sends nothing.
        ///
        /// - Parameter limit: The time that running tasks have. Zero cancels them immediately.
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

    extension CurlDataSource: TransferSource {
        var redirectPolicy: RedirectPolicy { configuration.redirectPolicy }
        var timeLimit: Duration? { configuration.totalTimeout }

        func start() throws {
            do { try loop.start() } catch {
                throw ServiceError(
                    .transport(URLError(.resourceUnavailable)),
                    detail: "the system can't create a thread for the data source", underlying: error)
            }
        }

        func transfer(for request: URLRequest, to receiver: TransferReceiver) -> any Transfer {
            CurlBridge(request, loop, receiver)
        }

        var hasEventLoop: Bool { true }
    }
#endif
