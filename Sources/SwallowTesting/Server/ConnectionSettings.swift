import Foundation
import Swallow

package struct ConnectionSettings: Sendable {
    package enum Responder: Sendable {
        /// The closure runs on the connection's thread, which it may block.
        case blocking(@Sendable (TestServer.Request) -> TestServer.Response)
        case asynchronous(TestServer.Handler)
    }

    let responder: Responder
    /// Called before the body is read. Returns `nil` for an ordinary request, whose body is read before the response.
    let bodyReply: @Sendable (TestServer.Request) -> BodyReply?
    let recordsRequests: Bool
    let requestsPerConnection: Int

    package init(
        responder: Responder,
        bodyReply: @escaping @Sendable (TestServer.Request) -> BodyReply? = { _ in nil },
        recordsRequests: Bool = true, requestsPerConnection: Int = .max
    ) {
        (self.responder, self.bodyReply) = (responder, bodyReply)
        (self.recordsRequests, self.requestsPerConnection) = (recordsRequests, requestsPerConnection)
    }
}

/// The reply to a request whose body the server reads in pieces, or doesn't read.
package enum BodyReply: Sendable {
    /// Status 200 immediately, and then each piece of the body as a chunk when it arrives.
    case echo
    /// The response that `then` returns after `take` has received each piece of the body. `chunks` is `nil` if the body
    /// isn't chunked.
    case read(
        _ take: @Sendable (Data) -> Void,
        then: @Sendable (_ chunks: Int?, _ trailers: [String]) -> TestServer.Response)
    /// A response that is sent without reading the body. If the connection stays open, the server parses the body as
    /// the next request, and usually responds with status 400.
    case respond(TestServer.Response)
    /// No response. The server waits until the client leaves or the server stops.
    case stall
    /// Status 101 with these fields. Then the closure uses the connection, which is closed when the closure returns.
    case upgrade(headers: [(String, String)], @Sendable (UpgradedConnection) -> Void)
}

/// A connection after an upgrade from HTTP, for example to a WebSocket. Its functions may block.
package struct UpgradedConnection: Sendable {
    let socket: Socket

    package func receive() -> Data? { (try? socket.receive()).map { Data($0) } }

    @discardableResult
    package func send(_ bytes: Data) -> Bool { (try? socket.sendAll(bytes)) != nil }

    package func reset() { socket.resetOnRelease() }
}
