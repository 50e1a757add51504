import Foundation

/// A value whose encoded bytes are stored, so that each encoding of the request has the same bytes.
final class EncodableBody: Sendable {
    let value: any Encodable & Sendable
    private let encoded = Lock<Data?>(nil)

    init(_ value: any Encodable & Sendable) {
        self.value = value
    }

    func data(_ options: JSON.EncodingOptions) throws -> Data {
        if let data = encoded.withLock({ $0 }) { return data }
        let data = try options.data(of: value)
        return encoded.withLock { encoded in
            let first = encoded ?? data
            encoded = first
            return first
        }
    }
}
