import Foundation

/// A type that reads itself from the tape, because that is faster than a decoder, or because a decoder would read it
/// differently.
protocol JSONReadable: Decodable {
    static func read(in reading: JSONReading, at position: Int, depth: Int) throws -> Self
}

extension JSON: JSONReadable {
    static func read(in reading: JSONReading, at position: Int, depth: Int) throws -> JSON {
        JSON(reading.document, at: position)
    }
}

extension String: JSONReadable {
    static func read(in reading: JSONReading, at position: Int, depth: Int) throws -> String {
        try reading.string(at: position)
    }
}

extension Int: JSONReadable {
    static func read(in reading: JSONReading, at position: Int, depth: Int) throws -> Int {
        try reading.integer(Int.self, at: position)
    }
}

extension Double: JSONReadable {
    static func read(in reading: JSONReading, at position: Int, depth: Int) throws -> Double {
        try reading.double(at: position)
    }
}

extension Bool: JSONReadable {
    static func read(in reading: JSONReading, at position: Int, depth: Int) throws -> Bool {
        try reading.bool(at: position)
    }
}

// MARK: - Containers

extension Array: JSONReadable where Element: Decodable {
    static func read(in reading: JSONReading, at position: Int, depth: Int) throws -> [Element] {
        let word = reading.tape.word(at: position)
        guard word.kind == .array else { throw reading.mismatch([Any].self, at: position) }
        let readable = reading.readable(Element.self)
        // Each cast is between the same type, known by different names.
        if readable == Int.self {
            let ints = try scalars(in: reading, at: position, depth) { try reading.integer(Int.self, at: $0) }
            return unsafeBitCast(ints, to: [Element].self)
        } else if readable == Double.self {
            let doubles = try scalars(in: reading, at: position, depth) { try reading.double(at: $0) }
            return unsafeBitCast(doubles, to: [Element].self)
        } else if readable == String.self {
            let strings = try scalars(in: reading, at: position, depth) { try reading.string(at: $0) }
            return unsafeBitCast(strings, to: [Element].self)
        } else if let readable {
            return try scalars(in: reading, at: position, depth) {
                try reading.value(readable, as: Element.self, at: $0, depth: depth + 1)
            }
        }
        return try scalars(in: reading, at: position, depth) {
            try Element(from: JSONValueDecoder(reading: reading, position: $0, depth: depth + 1))
        }
    }

    @inline(__always)
    private static func scalars<Value>(
        in reading: JSONReading, at position: Int, _ depth: Int, _ read: (Int) throws -> Value
    ) throws -> [Value] {
        let word = reading.tape.word(at: position)
        // With no capacity the initialiser writes a count to the empty array that all threads share.
        if word.length == 0 { return [] }
        return try [Value](unsafeUninitializedCapacity: word.length) { values, count in
            var place = position &+ 1
            while place < word.offset {
                reading.enter(place, index: count, ofContainerAt: position, depth: depth)
                values.initializeElement(at: count, to: try read(place))
                count &+= 1
                place = reading.tape.end(of: place)
            }
        }
    }
}

/// Not read through a decoder, since a strategy would convert the keys.
extension Dictionary: JSONReadable where Key == String, Value: Decodable {
    static func read(in reading: JSONReading, at position: Int, depth: Int) throws -> [String: Value] {
        let tape = reading.tape
        let word = tape.word(at: position)
        guard word.kind == .object else { throw reading.mismatch([String: Any].self, at: position) }
        var members: [String: Value] = Dictionary(minimumCapacity: word.length)
        var place = position &+ 1
        while place < word.offset {
            reading.enter(place, index: 0, ofContainerAt: position, depth: depth, keepsNames: true)
            let value = try reading.value(Value.self, at: place &+ 1, depth: depth &+ 1)
            let name = tape.string(tape.word(at: place))
            if let first = members.updateValue(value, forKey: name) { members[name] = first }
            place = tape.end(of: place &+ 1)
        }
        return members
    }
}

// MARK: - Foundation

extension URL: JSONReadable {
    static func read(in reading: JSONReading, at position: Int, depth: Int) throws -> URL {
        let text = try reading.string(at: position)
        guard let url = URL(string: text) else {
            throw reading.corrupted("\"\(text)\" isn't a URL", at: position)
        }
        return url
    }
}

extension Decimal: JSONReadable {
    static func read(in reading: JSONReading, at position: Int, depth: Int) throws -> Decimal {
        let word = reading.tape.word(at: position)
        guard word.isNumber else { throw reading.mismatch(Decimal.self, at: position) }
        guard let decimal = JSONNumber.decimal(reading.tape.text(of: word)) else {
            throw reading.beyond(Decimal.self, at: position)
        }
        return decimal
    }
}

extension Date: JSONReadable {
    static func read(in reading: JSONReading, at position: Int, depth: Int) throws -> Date {
        if reading.isNull(at: position) { throw reading.mismatch(Date.self, at: position) }
        let decoder = JSONValueDecoder(reading: reading, position: position, depth: depth)
        switch reading.options.dateDecodingStrategy {
        case .secondsSince1970: return Date(timeIntervalSince1970: try reading.double(at: position))
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try reading.double(at: position) / 1000)
        case .iso8601:
            let text = try reading.string(at: position)
            guard let date = try? Date(text, strategy: .iso8601) else {
                throw reading.corrupted("\"\(text)\" isn't an ISO 8601 date", at: position)
            }
            return date
        case .custom(let read): return try read(decoder)
        #if canImport(Darwin)
            case .formatted(let formatter):
                let text = try reading.string(at: position)
                guard let date = formatter.date(from: text) else {
                    throw reading.corrupted(
                        "\"\(text)\" isn't a date in the formatter's format", at: position)
                }
                return date
        #endif
        default: return try Date(from: decoder)
        }
    }
}

extension Data: JSONReadable {
    static func read(in reading: JSONReading, at position: Int, depth: Int) throws -> Data {
        if reading.isNull(at: position) { throw reading.mismatch(Data.self, at: position) }
        let decoder = JSONValueDecoder(reading: reading, position: position, depth: depth)
        switch reading.options.dataDecodingStrategy {
        case .base64:
            guard let data = Data(base64Encoded: try reading.string(at: position)) else {
                throw reading.corrupted("the string isn't Base64", at: position)
            }
            return data
        case .custom(let read): return try read(decoder)
        default: return try Data(from: decoder)
        }
    }
}
