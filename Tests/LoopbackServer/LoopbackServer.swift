import Foundation

/// A small, honest HTTP/1.1 server on 127.0.0.1, for tests, examples and benchmarks.
///
/// Each server has an ephemeral port of its own, so tests run in parallel without meeting each other. It
/// answers through a handler; faults (resets, truncated bodies, stalls …) are replies like any other.
///
/// ```swift
/// let server = try LoopbackServer { request in
///     request.path == "/hello" ? .respond(.text("hello")) : .respond(.status(404))
/// }
/// let url = server.baseURLString + "/hello"
/// ```
///
/// Keep a reference for as long as it has to serve: letting go of the server stops it.
public final class LoopbackServer: Sendable {
    /// What answers a request. It is called on the connection's own thread and may block it.
    public typealias Handler = @Sendable (Request) -> Reply

    /// The port it listens on.
    public let port: UInt16

    private let registry: ConnectionRegistry

    /// What answers a request before its body is read; nil leaves that to the handler. The request has no body yet.
    public typealias StreamHandler = @Sendable (Request) -> StreamReply?

    /// Starts a server that answers by `handler`.
    ///
    /// - Parameters:
    ///   - recordsRequests: Whether `requests` and `request(at:)` work. Pass `false` in benchmarks: every
    ///     recorded request stays in memory until the server goes away.
    ///   - streams: Asked first, for requests whose body is to be read in pieces, or not at all. Those are
    ///     recorded without it.
    ///   - handler: Called once for each request, at the same time for different connections. Don't let it
    ///     hold the server, which would then never be released.
    /// - Throws: `POSIXError` when no socket is to be had.
    public init(
        recordsRequests: Bool = true, streams: @escaping StreamHandler = { _ in nil },
        _ handler: @escaping Handler
    ) throws {
        let wakeUp = try WakeUp()
        do {
            let (listener, port) = try Socket.listener()
            self.port = port
            self.registry = ConnectionRegistry(
                listener: listener, wakeUp: wakeUp, recordsRequests: recordsRequests)
            Acceptor(
                listener: listener, wakeUp: wakeUp, registry: registry, port: port, handler: handler,
                streams: streams
            ).start()
        } catch {
            wakeUp.signal()
            wakeUp.release()
            throw error
        }
    }

    /// Starts a server with `standardRoutes(_:)` and `standardStreams(_:)`.
    ///
    /// - Throws: `POSIXError` when no socket is to be had.
    public convenience init(recordsRequests: Bool = true) throws {
        try self.init(recordsRequests: recordsRequests, streams: Self.standardStreams, Self.standardRoutes)
    }

    deinit {
        stop()
    }

    /// The server's root without a final slash: `http://127.0.0.1:PORT`.
    public var baseURLString: String {
        "http://127.0.0.1:\(port)"
    }

    /// Every request received so far, complete with its body, in the order of arrival.
    public var requests: [Request] {
        registry.snapshot.requests
    }

    /// How many connections have been accepted so far, those that have ended included.
    public var connectionCount: Int {
        registry.snapshot.connectionCount
    }

    /// The request number `index`, counted from 0; suspends until that many have been received.
    ///
    /// A wait that can't succeed any more (the server has stopped or records nothing, or the calling task
    /// was cancelled) ends at once with an empty request, whose `method` is `""`.
    public func request(at index: Int) async -> Request {
        guard registry.recordsRequests, index >= 0 else { return .empty(port: port) }
        await registry.wait { $0.requests.count > index || $0.listener == nil }
        let requests = registry.snapshot.requests
        return requests.indices.contains(index) ? requests[index] : .empty(port: port)
    }

    /// Suspends until `count` connections have been accepted, or until the server has stopped or the calling
    /// task is cancelled.
    public func connectionsAccepted(_ count: Int) async {
        await registry.wait { $0.connectionCount >= count || $0.listener == nil }
    }

    /// Suspends until no accepted connection is open, or until the calling task is cancelled.
    public func connectionsClosed() async {
        await registry.wait { $0.openSockets.isEmpty }
    }

    /// Refuses new connections and closes the open ones at once, which ends every stall and delay.
    ///
    /// Doesn't wait for a handler that is running. A second call does nothing.
    public func stop() {
        registry.stop()
    }
}
