import Foundation
import Swallow
import SwallowTesting

/// A `TestServer` with standard routes. It is created without `await`, and its closure may block its connection's
/// thread.
package final class LoopbackServer: Sendable {
    package typealias Request = TestServer.Request
    package typealias Response = TestServer.Response
    package typealias Handler = @Sendable (Request) -> Reply
    package typealias StreamHandler = @Sendable (Request) -> BodyReply?

    private let server: TestServer

    /// - Parameters:
    ///   - recordsRequests: Pass `false` in benchmarks, because recorded requests stay in memory.
    ///   - streams: Called first, for requests whose body is read in pieces, or isn't read.
    package init(
        recordsRequests: Bool = true, streams: @escaping StreamHandler = { _ in nil },
        _ handler: @escaping Handler
    ) throws {
        server = try TestServer(
            ConnectionSettings(
                responder: .blocking { handler($0).response }, bodyReply: streams,
                recordsRequests: recordsRequests))
    }

    /// Starts a server with `standardRoutes(_:)` and `standardStreams(_:)`.
    package convenience init(recordsRequests: Bool = true) throws {
        try self.init(recordsRequests: recordsRequests, streams: Self.standardStreams, Self.standardRoutes)
    }

    package var port: UInt16 { UInt16(server.port) }
    /// The root of the server without a final slash.
    package var baseURLString: String { "http://127.0.0.1:\(port)" }
    package var requests: [Request] { server.requests }
    package var connectionCount: Int { server.connectionCount }
    package func request(at index: Int) async -> Request { await server.request(index) }
    package func connectionsAccepted(_ count: Int) async { await server.connectionsAccepted(count) }
    package func connectionsClosed() async { await server.connectionsClosed() }
    package func stop() { server.stop() }
}

package typealias ClosedPort = UnusedPort

extension UnusedPort {
    /// The root of a server that doesn't exist, without a final slash.
    package var baseURLString: String { "http://127.0.0.1:\(port)" }
}

extension TestServer.Request {
    package func header(_ name: String) -> String? { headers.values(for: Headers.Name(name)).first }

    /// The query's names and values in order, percent-decoded. A `+` is a plus sign.
    package var queryItems: [(name: String, value: String)] {
        PercentCoding.items(query ?? "", plusIsSpace: false)
    }

    /// The names and values of an `application/x-www-form-urlencoded` body in order, decoded. A `+` is a space.
    package var formItems: [(name: String, value: String)] {
        let mediaType = (header("Content-Type") ?? "").prefix { $0 != ";" && $0 != " " }
        guard mediaType.equalsIgnoringCase("application/x-www-form-urlencoded") else { return [] }
        return PercentCoding.items(text, plusIsSpace: true)
    }
}

extension TestServer.Response {
    /// A response with a JSON text. The text isn't checked.
    package static func json(_ text: String, status: Int = 200) -> Self {
        json(Data(text.utf8), status: status)
    }

    package static func json(_ data: Data, status: Int = 200) -> Self {
        .data(data, contentType: "application/json", status: status)
    }
}

extension TestServer.Response.Body {
    package static func chunked(_ chunks: [Data]) -> Self { .chunks(chunks) }
    package static func drip(chunks: [Data], every interval: Duration) -> Self {
        .chunks(chunks, every: interval)
    }
}
