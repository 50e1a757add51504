import Foundation

/// A value that a request sends as JSON. It is encoded once, because the members of a dictionary have a different order
/// each time. A retry, a signature and the request's curl command therefore use the same bytes.
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
