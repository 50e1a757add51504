import Foundation
import Swallow

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
