#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
    import Foundation
    import FoundationNetworking

    /// Sends requests with the libcurl of FoundationNetworking. This is the default data source on Linux, because it
    /// takes an eighth of URLSession's CPU time.
    ///
    /// All its requests share connections, cookies and one thread. Completions are called on other threads, and may
    /// block. The ``RedirectPolicy`` of its configuration handles redirects.
    ///
    /// - If a reused connection turns out to be closed, libcurl repeats the request once, on a new connection. Only
    ///   idempotent methods are repeated (RFC 9110 §9.2.2). Other methods fail with `URLError(.networkConnectionLost)`.
    /// - A header field or a method that can't be sent unchanged fails with a ``ServiceError`` of reason
    ///   `.invalidRequest`.
    /// - An ambiguous response fails with `URLError(.badServerResponse)` (RFC 9112 §6.3), for example one with
    ///   different `Content-Length` fields, a `Content-Length` beside a `Transfer-Encoding`, two `Location` fields, or
    ///   a 101 that wasn't requested. So does a head larger than ``Configuration/maximumHeadSize``.
    /// - Bodies stream. While a task is suspended, or 128 KB wait for its receiver, the transfer pauses, and the server
    ///   has to wait after the system's buffers are full. Over HTTP/2, the server may still fill the stream's window,
    ///   which libcurl stores in memory (32 MB with libcurl 7, and 10 MB later). Cancelling a streamed body closes its
    ///   connection over HTTP/1.1, and resets the stream over HTTP/2.
    /// - There is no URL cache, and a 401 is an ordinary response.
    ///
    /// A released data source lets its tasks complete, closes its connections and stops its thread.
    public final class CurlDataSource: SessionDataTaskDataSource {
        /// Whether this process has libcurl 7.68 or newer. Without it, every task fails with
        /// `URLError(.unsupportedURL)`.
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
        /// If the system refuses the thread, the request fails with a ``ServiceError`` of reason
        /// `.transport(URLError(.resourceUnavailable))`. The next request tries again.
        public convenience init(configuration: Configuration = Configuration()) {
            // FoundationNetworking has to initialize libcurl first.
            _ = Self.isAvailable
            self.init(configuration, EngineLoop(EngineConfiguration(configuration)))
        }

        init(_ configuration: Configuration, _ loop: EngineLoop) {
            self.configuration = configuration
            self.loop = loop
        }

        /// Stops accepting tasks, lets running tasks complete, and closes the connections.
        ///
        /// Tasks that are resumed later fail with `URLError(.cancelled)`. So do tasks that are incomplete when the time
        /// is over, or when the Swift task that waits here is cancelled. Cookies are written to their file. Afterwards,
        /// the data source has no cookies and sends nothing.
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

    extension CurlDataSource: TransferSource, SizedDataSource {
        var redirectPolicy: RedirectPolicy { configuration.redirectPolicy }
        var attemptTimeout: Duration? { configuration.totalTimeout }

        func start() throws {
            do { try loop.start() } catch {
                throw ServiceError(
                    .transport(URLError(.resourceUnavailable)),
                    detail: "the system can't create a thread for the data source", underlying: error)
            }
        }

        func transfer(for request: URLRequest, to receiver: TransferReceiver) -> any Transfer {
            EngineBackedTransfer(request, loop, receiver)
        }

        var hasEventLoop: Bool { true }
    }
#endif
