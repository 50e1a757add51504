import Foundation
import Swallow

/// A real HTTP/1.1 server on 127.0.0.1, for tests of any HTTP client.
///
/// ```swift
/// let server = try await TestServer { request in
///     request.path == "/stores" ? .json([["id": 41]]) : .status(404)
/// }
/// let (data, _) = try await URLSession.shared.data(from: server.url.appending(path: "stores"))
/// #expect(server.requests.map(\.path) == ["/stores"])
/// ```
///
/// Each server has its own port, so tests can run in parallel. Each connection runs on its own thread, so the server
/// blocks neither the main actor nor a thread of Swift's concurrency pool.
///
/// The server stops when its last reference is released, which may be directly after its last use. Call ``stop()`` at
/// the end of a test that needs the server until then.
public final class TestServer: Sendable {
    /// A closure that responds to each request. It may be called for several connections at once. If it retains the
    /// server, the server runs until ``TestServer/stop()``. If the client leaves or the server stops, the closure's
    /// Swift task is cancelled. If the closure throws, the response has status 500 and the error's description.
    public typealias Handler = @Sendable (Request) async throws -> Response

    /// The root of the server, for example `http://127.0.0.1:49152`.
    public let url: URL
    /// The port on 127.0.0.1.
    public let port: Int

    private let registry: ConnectionRegistry
    /// The responses that are left. `nil` if the server has a closure.
    private let script: Lock<[Response]>?
    private let unusedPort: UnusedPort?

    /// Starts a server that responds with the results of a closure.
    ///
    /// - Parameters:
    ///   - requestsPerConnection: The number of requests after which the server closes a connection. The last response
    ///     announces this with `Connection: close`. There is no limit by default.
    ///   - recordsRequests: Whether the server stores its requests in ``requests``, which is `true` by default. Pass
    ///     `false` to a server that runs for a long time.
    ///   - handler: A closure that responds to each request.
    /// - Throws: `POSIXError` if the system can't open a socket.
    public convenience init(
        requestsPerConnection: Int = .max, recordsRequests: Bool = true, _ handler: @escaping Handler
    ) async throws {
        try self.init(
            ConnectionSettings(
                responder: .asynchronous(handler), recordsRequests: recordsRequests,
                requestsPerConnection: requestsPerConnection))
    }

    /// Starts a server that sends these responses in order, then the responses of ``enqueue(_:)``, and then status 500.
    ///
    /// ```swift
    /// let server = try await TestServer(.status(503), .json(["id": 41]))
    /// ```
    ///
    /// - Throws: `POSIXError` if the system can't open a socket.
    public convenience init(requestsPerConnection: Int = .max, _ responses: Response...) async throws {
        let script = Lock(responses)
        try self.init(
            ConnectionSettings(
                responder: .blocking { Self.nextResponse(of: script, to: $0) },
                requestsPerConnection: requestsPerConnection),
            script: script)
    }

    package init(_ settings: ConnectionSettings, script: Lock<[Response]>? = nil) throws {
        let wakeUp = try WakeUp()
        let (listener, port) = try Socket.bound(listens: true)
        (self.port, url) = (Int(port), Self.url(port))
        registry = ConnectionRegistry(
            listener: listener, wakeUp: wakeUp, recordsRequests: settings.recordsRequests)
        (self.script, unusedPort) = (script, nil)
        registry.startAccepting(from: listener, wakeUp: wakeUp, port: port, settings)
    }

    private init(refusingAt unusedPort: UnusedPort) {
        (port, url) = (Int(unusedPort.port), Self.url(unusedPort.port))
        registry = ConnectionRegistry(listener: nil, wakeUp: nil, recordsRequests: false)
        (script, self.unusedPort) = (nil, unusedPort)
    }

    deinit {
        stop()
    }

    /// Returns a server that refuses every connection. No other process can use its port until the server is released.
    ///
    /// - Throws: `POSIXError` if the system can't open a socket.
    public static func refusing() async throws -> TestServer {
        TestServer(refusingAt: try UnusedPort())
    }

    private static func url(_ port: UInt16) -> URL {
        URL(string: "http://127.0.0.1:\(port)") ?? URL(filePath: "/")
    }

    /// Adds a response, which the server sends after all earlier ones. Does nothing if the server has a closure.
    public func enqueue(_ response: Response) {
        script?.withLock { $0.append(response) }
    }

    private static func nextResponse(of script: Lock<[Response]>, to request: Request) -> Response {
        let next = script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        return next
            ?? .text("The server has no response left for \(request.method) \(request.target).", status: 500)
    }

    /// Stops accepting connections, and closes the open ones. Doesn't wait for a closure that is running.
    public func stop() {
        registry.stop()
    }
}

extension TestServer {
    /// The recorded requests so far, in the order in which they were complete.
    public var requests: [Request] { registry.snapshot.requests }

    /// The number of connections that the server has accepted so far, including closed ones.
    public var connectionCount: Int { registry.snapshot.connectionCount }

    /// Waits for the request at a position in ``requests``: `await server.request(0).json`.
    ///
    /// Without one, returns an empty request after five minutes, a stop or a cancellation, or if none are recorded.
    public func request(_ index: Int) async -> Request {
        guard registry.recordsRequests, index >= 0 else { return Request() }
        await registry.wait { $0.requests.count > index || $0.listener == nil }
        let requests = requests
        return requests.indices.contains(index) ? requests[index] : Request()
    }

    package func connectionsAccepted(_ count: Int) async {
        await registry.wait { $0.connectionCount >= count || $0.listener == nil }
    }

    package func connectionsClosed() async {
        await registry.wait { $0.openSockets.isEmpty }
    }
}
