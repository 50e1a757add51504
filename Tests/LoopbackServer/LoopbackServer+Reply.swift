import Foundation
import SwallowTesting

extension LoopbackServer {
    /// A response, or one of the failures that tests name by their routes.
    package enum Reply: Sendable {
        case respond(Response)
        case delayed(Duration, Response)
        /// Sends this many responses of status 103 before the final one.
        case informational(times: Int, then: Response)
        case closeBeforeHead
        case resetBeforeHead
        case resetMidBody
        case truncatedBody
        /// Sends bytes that aren't HTTP.
        case garbage
        /// Sends header fields until the client closes the connection, but at most 64 MiB of them.
        case endlessHeaders
        /// Sends a valid chunk, and then a chunk whose size isn't a number.
        case brokenChunk
        case stall
        /// Closes the connection after the response without announcing it.
        case closeAfterResponse(Response)
        case raw(Data)

        var response: Response {
            switch self {
            case .respond(let response): response
            case .delayed(let delay, let response): response.delayed(delay)
            case .informational(let times, let response): response.withEarlyHints(times)
            case .closeBeforeHead: Response().closed(.beforeHead)
            case .resetBeforeHead: Response().reset(.beforeHead)
            case .resetMidBody: Self.thousandBytes.reset(.inBody)
            case .truncatedBody: Self.thousandBytes.closed(.inBody)
            case .garbage: .raw(Data("\u{1}\u{2} this isn't a status line\r\n\r\n".utf8))
            case .endlessHeaders:
                Response(
                    body: .raw(
                        [Data("HTTP/1.1 200 OK\r\n".utf8)] + Array(repeating: Self.fields, count: 1024)))
            case .brokenChunk:
                .raw(
                    Data(
                        """
                        HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n\
                        5\r\nhello\r\nZZ\r\nworld\r\n
                        """.utf8))
            case .stall: Response().stalled(.beforeHead)
            case .closeAfterResponse(let response): response.closingConnection()
            case .raw(let bytes): .raw(bytes)
            }
        }

        private static let thousandBytes = Response.data(Data(repeating: UInt8(ascii: "x"), count: 1000))
        private static let fields = Data(
            String(repeating: "X-Endless: " + String(repeating: "x", count: 1011) + "\r\n", count: 64).utf8)
    }
}

extension TestServer.Response {
    fileprivate func withEarlyHints(_ count: Int) -> Self {
        var response = self
        response.earlyHints = max(count, 0)
        return response
    }
}
