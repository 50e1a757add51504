#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
    import Foundation
    import FoundationNetworking

    /// Moves requests with the libcurl that FoundationNetworking has loaded: the default data source on Linux, where
    /// it takes an eighth of URLSession's CPU time.
    ///
    /// All its requests share connections, cookies and one thread. Completions come on threads of its own; one that
    /// blocks keeps no other waiting. Redirects go by the ``RedirectPolicy`` of its configuration, as with
    /// ``URLSessionDataSource``.
    ///
    /// - libcurl resends a request by itself where a kept connection turns out to be closed; here it does so once, on a new
    ///   connection, and for idempotent methods (RFC 9110 §9.2.2) only. Any other ends in `URLError(.networkConnectionLost)`.
    /// - A request with a header field or a method that can't be sent as it is ends in a ``ServiceError`` of reason
    ///   `.invalidRequest`, and sends nothing.
    /// - A response that two readers may understand in two ways is `URLError(.badServerResponse)` (RFC 9112 §6.3):
    ///   `Content-Length`s that differ or are no number, one beside a `Transfer-Encoding`, two `Location`s, a 101
    ///   that wasn't asked for. So is a head larger than ``Configuration/maximumHeadSize``.
    /// - Bodies stream. While a task is suspended, or 128 KB wait for its receiver, the transfer pauses, and the server has
    ///   to wait once the system's buffers are full. Compressed bytes are unpacked only as they are wanted. Over HTTP/2
    ///   the server may still send as much as libcurl's window for the stream has room for, 32 MB with libcurl 7 and 10
    ///   MB with later versions, and libcurl keeps that in memory. Cancelling a streamed body closes its connection
    ///   over HTTP/1.1, and resets the stream over HTTP/2.
    /// - There is no URL cache, and a 401 is a response like any other.
    ///
    /// A data source that goes away lets its tasks finish, then closes its connections and ends its thread.
    public final class CurlDataSource: SessionDataTaskDataSource {
        /// Whether this process has a libcurl that is new enough (7.68). Where it has none, every task of a
        /// `CurlDataSource` ends in `URLError(.unsupportedURL)`.
        public static let isAvailable: Bool = {
            // Makes FoundationNetworking initialize libcurl before the engine does.
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

        /// Takes no new tasks, lets those under way end, and closes the connections: for a server that shuts down, say.
        ///
        /// Tasks that are resumed from here on end in `URLError(.cancelled)`. So do those that are still under way or
        /// suspended when the time is over, or when the Swift task that waits here is cancelled. Cookies that are kept
        /// in a file are written. Afterwards the data source has no cookies and sends nothing.
        ///
        /// - Parameter limit: how long tasks may go on; zero cancels them now.
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
                    detail: "the system refused a thread for the data source", underlying: error)
            }
        }

        func transfer(for request: URLRequest, to receiver: TransferReceiver) -> any Transfer {
            CurlBridge(request, loop, receiver)
        }

        var leaveTransferThread: (@Sendable (@escaping @Sendable () -> Void) -> Void)? { loop.run }
    }
#endif
