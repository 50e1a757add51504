import Foundation

/// A type that writes itself to the text, because that is faster than an encoder, or because `JSONEncoder` writes it
/// in another way than the type does.
protocol JSONWritable: Encodable {
    static func write(_ value: Self, to writing: JSONWriting) throws
}

extension JSON: JSONWritable {
    static func write(_ value: JSON, to writing: JSONWriting) {
        if value.fault != nil { return writing.giveUp() }
        writing.write(text: value.data)
    }
}

extension String: JSONWritable {
    static func write(_ value: String, to writing: JSONWriting) { writing.write(value) }
}

extension Int: JSONWritable {
    static func write(_ value: Int, to writing: JSONWriting) { writing.write(number: value) }
}

extension Double: JSONWritable {
    static func write(_ value: Double, to writing: JSONWriting) { writing.write(number: value) }
}

extension Bool: JSONWritable {
    static func write(_ value: Bool, to writing: JSONWriting) { writing.write(value) }
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
    static func write(_ value: URL, to writing: JSONWriting) { writing.write(value.absoluteString) }
}

extension Decimal: JSONWritable {
    static func write(_ value: Decimal, to writing: JSONWriting) { writing.write(number: value) }
}

extension Date: JSONWritable {
    static func write(_ value: Date, to writing: JSONWriting) throws {
        switch writing.options.dateEncodingStrategy {
        case .deferredToDate: try writing.writeEncoding(value)
        case .secondsSince1970: writing.write(number: value.timeIntervalSince1970)
        case .millisecondsSince1970: writing.write(number: 1000 * value.timeIntervalSince1970)
        case .iso8601: writing.write(iso8601: value)
        #if canImport(Darwin)
            case .formatted(let formatter): writing.write(formatter.string(from: value))
        #endif
        default: writing.giveUp()
        }
    }
}

extension Data: JSONWritable {
    static func write(_ value: Data, to writing: JSONWriting) throws {
        switch writing.options.dataEncodingStrategy {
        case .deferredToData: try writing.writeEncoding(value)
        case .base64: writing.write(value.base64EncodedString())
        default: writing.giveUp()
        }
    }
}
