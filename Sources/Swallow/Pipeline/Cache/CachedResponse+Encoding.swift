import Foundation

extension CachedResponse: Codable {
    private struct Encoded: Codable {
        let head: CachedResponseHead
        let timestamp: Date
        let data: Data
    }

    /// Creates a response from its encoded form. Its ``content`` is `nil`.
    public init(from decoder: any Decoder) throws {
        let encoded = try Encoded(from: decoder)
        guard let response = encoded.head.cachedResponse(encoded.data, timestamp: encoded.timestamp) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "the URL, status and headers don't form the head of a response"))
        }
        self = response
    }

    /// Encodes the head, the body and the timestamp, not the ``content``. Throws an `EncodingError` if there is no URL.
    public func encode(to encoder: any Encoder) throws {
        guard let head = CachedResponseHead(self) else {
            throw EncodingError.invalidValue(
                response, .init(codingPath: encoder.codingPath, debugDescription: "the response has no URL"))
        }
        try Encoded(head: head, timestamp: timestamp, data: data).encode(to: encoder)
    }
}

/// The encoded form of a stored response, except its timestamp and its body.
struct CachedResponseHead: Codable, Sendable {
    let url: String
    let status: Int
    let headers: [String: String]
    let selection: [String: String]
    let age: TimeInterval?
    let requested: String?

    /// Creates the encoded form without the URL's user info and `Set-Cookie`. `nil` if the response has no URL.
    init?(_ stored: CachedResponse) {
        guard let url = stored.response.url?.absoluteString else { return nil }
        self.url = url.withoutUserinfo
        status = stored.response.statusCode
        headers = stored.response.fields.filter { $0.key.lowercased() != "set-cookie" }
        selection = stored.selection
        age = stored.initialAge.flatMap { $0.isFinite ? $0 : nil }
        requested = stored.requestURL?.absoluteString.withoutUserinfo
    }

    func cachedResponse(_ body: Data, timestamp: Date) -> CachedResponse? {
        guard let url = URL(string: url), (100...999).contains(status) else { return nil }
        // Creating the `HTTPURLResponse` takes 12 µs on Linux, so it is created only when needed.
        let head = ResponseHead(statusCode: status) { [headers] in
            headers.first { $0.key.lowercased() == "content-type" }?.value
        } making: { [status, headers] in
            // Foundation doesn't return `nil` for a status code from 100 to 999.
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)!
        }
        return CachedResponse(
            head: head,
            directives: ResponseDirectives(status: status, fields: headers, receivedAt: timestamp),
            data: body, timestamp: timestamp, initialAge: age, selection: selection, url: url,
            requestURL: requested.flatMap { URL(string: $0) })
    }
}

extension HTTPURLResponse {
    /// Returns a copy with these header fields, and with `status` if it isn't `nil`. Without a URL, returns this head.
    func with(_ headers: Headers, status: Int? = nil) -> HTTPURLResponse {
        let copy = url.flatMap {
            HTTPURLResponse(
                url: $0, statusCode: status ?? statusCode, httpVersion: "HTTP/1.1",
                headerFields: headers.combined)
        }
        return copy ?? self
    }
}
