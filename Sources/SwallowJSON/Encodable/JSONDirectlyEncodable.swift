import Foundation

/// A type with its own function to write it, because this is faster or because `JSONEncoder` treats it specially.
protocol JSONDirectlyEncodable: Encodable {
    static func write(_ value: Self, to session: JSONEncodingSession) throws
}

extension JSON: JSONDirectlyEncodable {
    static func write(_ value: JSON, to session: JSONEncodingSession) {
        if value.fault != nil { return session.fallBack() }
        value.data.withUnsafeBytes { session.buffer.append($0.assumingMemoryBound(to: UInt8.self)) }
    }
}

extension Array: JSONDirectlyEncodable where Element: Encodable {
    static func write(_ value: [Element], to session: JSONEncodingSession) throws {
        let id = session.begin(.array)
        for element in value {
            guard session.beginItem(of: id) else { return }
            try session.write(element)
        }
        session.end(id)
    }
}

extension Dictionary: JSONDirectlyEncodable where Key == String, Value: Encodable {
    static func write(_ value: [String: Value], to session: JSONEncodingSession) throws {
        let id = session.begin(.object)
        for (name, value) in value {
            guard session.beginUniqueMember(name, of: id) else { return }
            try session.write(value)
        }
        session.end(id)
    }
}

extension URL: JSONDirectlyEncodable {
    static func write(_ value: URL, to session: JSONEncodingSession) {
        String.write(value.absoluteString, to: session)
    }
}

extension Decimal: JSONDirectlyEncodable {
    static func write(_ value: Decimal, to session: JSONEncodingSession) {
        guard value.isFinite else { return session.fallBack() }
        session.buffer.append(spelled: value.description)
    }
}

extension Date: JSONDirectlyEncodable {
    static func write(_ value: Date, to session: JSONEncodingSession) throws {
        switch session.options.dateEncodingStrategy {
        case .deferredToDate: try session.writeEncoding { try value.encode(to: $0) }
        case .custom(let encode): try session.writeEncoding { try encode(value, $0) }
        case .secondsSince1970: Double.write(value.timeIntervalSince1970, to: session)
        case .millisecondsSince1970: Double.write(1000 * value.timeIntervalSince1970, to: session)
        case .iso8601: String.write(value.formatted(.iso8601), to: session)
        #if canImport(Darwin)
            case .formatted(let formatter): String.write(formatter.string(from: value), to: session)
            @unknown default: session.fallBack()
        #endif
        }
    }
}

extension Data: JSONDirectlyEncodable {
    static func write(_ value: Data, to session: JSONEncodingSession) throws {
        switch session.options.dataEncodingStrategy {
        case .deferredToData: try session.writeEncoding { try value.encode(to: $0) }
        case .custom(let encode): try session.writeEncoding { try encode(value, $0) }
        case .base64: String.write(value.base64EncodedString(), to: session)
        #if canImport(Darwin)
            @unknown default: session.fallBack()
        #endif
        }
    }
}
