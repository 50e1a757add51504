import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension CachedResponse: Codable {
    private enum CodingKeys: CodingKey {
        case url, statusCode, headers, selection, timestamp, data
    }

    /// Decodes a response without content.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let head = CachedResponseHead(
            url: try container.decode(String.self, forKey: .url),
            statusCode: try container.decode(Int.self, forKey: .statusCode),
            headers: try container.decode([String: String].self, forKey: .headers))
        guard let response = head.response else {
            throw DecodingError.dataCorruptedError(
                forKey: .url, in: container, debugDescription: "this is not the head of a response")
        }
        self.init(
            response: response,
            data: try container.decode(Data.self, forKey: .data),
            timestamp: try container.decode(Date.self, forKey: .timestamp),
            selection: try container.decode([String: String].self, forKey: .selection))
    }

    /// Encodes the head, the bytes and the timestamp, but not the content.
    ///
    /// - Throws: an `EncodingError` for a response without a URL.
    public func encode(to encoder: any Encoder) throws {
        guard let head = CachedResponseHead(response) else {
            throw EncodingError.invalidValue(
                response, .init(codingPath: encoder.codingPath, debugDescription: "the response has no URL"))
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(head.url, forKey: .url)
        try container.encode(head.statusCode, forKey: .statusCode)
        try container.encode(head.headers, forKey: .headers)
        try container.encode(selection, forKey: .selection)
        try container.encode(timestamp, forKey: .timestamp)
        try container.encode(data, forKey: .data)
    }
}
