import Foundation

/// A type that writes itself to the text, because that is faster than an encoder, or because `JSONEncoder` writes it
/// in another way than the type does.
protocol JSONWritable: Encodable {
    static func write(_ value: Self, to writing: JSONWriting) throws
}

extension JSON: JSONWritable {
    static func write(_ value: JSON, to writing: JSONWriting) {
        if value.fault != nil { return writing.giveUp() }
        value.data.withUnsafeBytes { writing.output.append($0.assumingMemoryBound(to: UInt8.self)) }
    }
}

// MARK: - Containers

extension Array: JSONWritable where Element: Encodable {
    static func write(_ value: [Element], to writing: JSONWriting) throws {
        let place = writing.begin(.array)
        for element in value {
            guard writing.beginItem(of: place) else { return }
            try writing.write(element)
        }
        writing.end(place)
    }
}

extension Dictionary: JSONWritable where Key == String, Value: Encodable {
    static func write(_ value: [String: Value], to writing: JSONWriting) throws {
        let place = writing.begin(.object)
        for (name, value) in value {
            guard writing.beginUniqueMember(name, of: place) else { return }
            try writing.write(value)
        }
        writing.end(place)
    }
}

// MARK: - Foundation

extension URL: JSONWritable {
    static func write(_ value: URL, to writing: JSONWriting) {
        String.write(value.absoluteString, to: writing)
    }
}

extension Decimal: JSONWritable {
    static func write(_ value: Decimal, to writing: JSONWriting) {
        value.isFinite ? writing.output.append(spelled: value.description) : writing.giveUp()
    }
}

extension Date: JSONWritable {
    static func write(_ value: Date, to writing: JSONWriting) throws {
        switch writing.options.dateEncodingStrategy {
        case .deferredToDate: try writing.writeEncoding { try value.encode(to: $0) }
        case .custom(let encode): try writing.writeEncoding { try encode(value, $0) }
        case .secondsSince1970: Double.write(value.timeIntervalSince1970, to: writing)
        case .millisecondsSince1970: Double.write(1000 * value.timeIntervalSince1970, to: writing)
        case .iso8601: writing.output.append(iso8601: value)
        #if canImport(Darwin)
            case .formatted(let formatter): String.write(formatter.string(from: value), to: writing)
        #endif
        default: writing.giveUp()
        }
    }
}

extension Data: JSONWritable {
    static func write(_ value: Data, to writing: JSONWriting) throws {
        switch writing.options.dataEncodingStrategy {
        case .deferredToData: try writing.writeEncoding { try value.encode(to: $0) }
        case .custom(let encode): try writing.writeEncoding { try encode(value, $0) }
        case .base64: String.write(value.base64EncodedString(), to: writing)
        default: writing.giveUp()
        }
    }
}
