import Foundation

extension JSON: Decodable {
    /// Creates JSON from the value of a decoder. Members are in the order of the decoder's `allKeys`.
    public init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: JSONKey.self) {
            self = .object(
                try members.allKeys.map { ($0.stringValue, try members.decode(JSON.self, forKey: $0)) })
        } else if var elements = try? decoder.unkeyedContainer() {
            var values: [JSON] = []
            while !elements.isAtEnd { values.append(try elements.decode(JSON.self)) }
            self = .array(values)
        } else {
            try self.init(scalarIn: decoder.singleValueContainer())
        }
    }

    private init(scalarIn container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let integer = try? container.decode(Int64.self) {
            self = .number(integer)
        } else if let integer = try? container.decode(UInt64.self) {
            self = .number(integer)
        } else if let decimal = try? container.decode(Decimal.self) {
            self = .number(decimal)
        } else {
            self = .number(try container.decode(Double.self))
        }
    }
}

extension JSON: Encodable {
    /// Encodes the value to any encoder, and ``missing`` as `null`. A number is encoded as the first of `Int64`,
    /// `UInt64`, `Double`, `Decimal`, `Int128` and `UInt128` that spells the same number, or as the nearest `Double`.
    ///
    /// - Throws: `EncodingError.invalidValue` if a number is out of range, or if the value can't be written.
    public func encode(to encoder: any Encoder) throws {
        try checkFault(at: encoder.codingPath)
        switch kind {
        case .array:
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object where Self.isFoundation(encoder):
            var container = encoder.singleValueContainer()
            try container.encode(object)
        case .object:
            var container = encoder.container(keyedBy: JSONKey.self)
            var written: Set<String> = []
            for (name, value) in members where written.insert(name).inserted {
                try container.encode(value, forKey: JSONKey(stringValue: name))
            }
        default:
            var container = encoder.singleValueContainer()
            try encodeScalar(to: &container)
        }
    }

    /// Returns whether to encode objects as dictionaries, whose names Foundation's encoders never convert.
    private static func isFoundation(_ encoder: any Encoder) -> Bool {
        String(reflecting: type(of: encoder)).hasPrefix("Foundation")
    }

    private func encodeScalar(to container: inout any SingleValueEncodingContainer) throws {
        if let bool {
            try container.encode(bool)
        } else if let string {
            try container.encode(string)
        } else if let int64 {
            try container.encode(int64)
        } else if let uint64 {
            try container.encode(uint64)
        } else if let double, JSON.number(double) == self {
            try container.encode(double)
        } else if let decimal, JSON.number(decimal) == self {
            try container.encode(decimal)
        } else if try encodeWide(to: &container) {
            return
        } else if let double {
            try container.encode(double)
        } else if let numberText {
            let description = "\(numberText) is beyond the range of Double"
            let context = EncodingError.Context(
                codingPath: container.codingPath, debugDescription: description)
            throw EncodingError.invalidValue(self, context)
        } else {
            try container.encodeNil()
        }
    }

    private func encodeWide(to container: inout any SingleValueEncodingContainer) throws -> Bool {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return false }
        if let integer: Int128 = integer() {
            try container.encode(integer)
        } else if let integer: UInt128 = integer() {
            try container.encode(integer)
        } else {
            return false
        }
        return true
    }
}
