import Foundation
import SwallowTesting

extension TestServer.Response {
    /// Returns the content, or its rest for a request with `Range: bytes=N-` (RFC 9110 §14.2). If the request's `If-Range`
    /// names another validator, the content is complete (§13.1.5).
    ///
    /// - Parameters:
    ///   - fields: The header fields of every response, such as the validators.
    ///   - chunk: The size of the chunks. `nil` for a body of known length.
    ///   - interval: The time between two chunks.
    package static func ranged(
        _ content: Data, to request: TestServer.Request, fields: [(name: String, value: String)],
        chunk: Int? = nil, every interval: Duration = .zero
    ) -> Self {
        func body(_ content: Data) -> Body {
            guard let chunk else { return .data(content) }
            let chunks = stride(from: 0, to: content.count, by: chunk).map { offset in
                Data(content.dropFirst(offset).prefix(chunk))
            }
            return interval == .zero ? .chunked(chunks) : .drip(chunks: chunks, every: interval)
        }
        let fields = fields + [("Accept-Ranges", "bytes"), ("Content-Type", "application/octet-stream")]
        let condition = request.header("If-Range")
        let isSame = condition == nil || fields.contains { $0.value == condition }
        guard isSame, request.method == "GET", let start = request.rangeStart else {
            return Self(headers: fields, body: body(content))
        }
        if start >= content.count {
            return Self(status: 416, headers: fields + [("Content-Range", "bytes */\(content.count)")])
        }
        let range = "bytes \(start)-\(content.count - 1)/\(content.count)"
        return Self(
            status: 206, headers: fields + [("Content-Range", range)], body: body(content.dropFirst(start)))
    }

    /// Returns a response that ends after `count` bytes of the body. The server then closes the connection.
    package func truncated(after count: Int) -> Self {
        guard case .data(let data) = body else { return self }
        var response = self
        response.headers += [("Content-Length", "\(data.count)"), ("Connection", "close")]
        response.body = .data(data.prefix(count))
        return response
    }
}

extension TestServer.Request {
    /// The N of `Range: bytes=N-`. Other forms aren't supported.
    fileprivate var rangeStart: Int? {
        guard let field = header("Range"), field.hasPrefix("bytes="), field.hasSuffix("-") else { return nil }
        return Int(field.dropFirst(6).dropLast())
    }
}
