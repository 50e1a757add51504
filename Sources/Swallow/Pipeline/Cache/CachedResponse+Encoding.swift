import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension CachedResponse: Codable {
    private struct Encoded: Codable {
        let url: String
        let statusCode: Int
        let headers: [String: String]
        let selection: [String: String]
        let timestamp: Date
        let data: Data
        let age: TimeInterval?
    }

    /// Decodes a response without content.
    public init(from decoder: any Decoder) throws {
        let encoded = try Encoded(from: decoder)
        let head = CachedResponseHead(
            url: encoded.url, statusCode: encoded.statusCode, headers: encoded.headers)
        guard let response = head.response else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "the URL, status and headers don't form the head of a response"))
        }
        self.init(
            response: response, data: encoded.data, timestamp: encoded.timestamp,
            selection: encoded.selection, initialAge: encoded.age)
    }

    /// Encodes the head, the bytes and the timestamp, but not the content.
    ///
    /// - Throws: An `EncodingError` if the response has no URL.
    public func encode(to encoder: any Encoder) throws {
        guard let head = CachedResponseHead(response) else {
            throw EncodingError.invalidValue(
                response, .init(codingPath: encoder.codingPath, debugDescription: "the response has no URL"))
        }
        try Encoded(
            url: head.url, statusCode: head.statusCode, headers: head.headers, selection: selection,
            timestamp: timestamp, data: data, age: initialAge
        ).encode(to: encoder)
    }
}

/// An `HTTPURLResponse` as text and numbers.
struct CachedResponseHead: Sendable {
    var url: String
    var statusCode: Int
    var headers: [String: String]

    init(url: String, statusCode: Int, headers: [String: String]) {
        self.url = url
        self.statusCode = statusCode
        self.headers = headers
    }

    /// Returns `nil` for a response without a URL, because it couldn't be created again. Omits the user, the password
    /// and `Set-Cookie`, because nothing that reads the response needs them.
    init?(_ response: HTTPURLResponse) {
        guard let url = response.url?.absoluteString else { return nil }
        self.url = url.withoutUserinfo
        statusCode = response.statusCode
        headers = response.fields.filter { $0.key.lowercased() != "set-cookie" }
    }

    var response: HTTPURLResponse? { URL(string: url).map(response) }

    func response(from url: URL) -> HTTPURLResponse {
        // Foundation accepts every valid HTTP status code. The code is checked when an entry is read.
        HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headers)!
    }
}

extension ResponseHead {
    /// Creates the head from a cache's text. The `HTTPURLResponse` is created only when needed, because it takes 12 µs
    /// of a cache hit on Linux, and most code doesn't read it.
    init(_ head: CachedResponseHead, url: URL) {
        self.init(statusCode: head.statusCode) {
            head.headers["Content-Type"]
                ?? head.headers.first { $0.key.lowercased() == "content-type" }?.value
        } making: {
            head.response(from: url)
        }
    }
}
