import Foundation

protocol JSONDirectlyDecodable: Decodable {
    static func read(in session: JSONDecodingSession, at position: Int, depth: Int) throws -> Self
}

extension JSON: JSONDirectlyDecodable {
    static func read(in session: JSONDecodingSession, at position: Int, depth: Int) throws -> JSON {
        JSON(session.document, at: position)
    }
}

extension Array: JSONDirectlyDecodable where Element: Decodable {
    static func read(in session: JSONDecodingSession, at position: Int, depth: Int) throws -> [Element] {
        let word = session.tape.word(at: position)
        guard word.kind == .array else { throw session.mismatch([Any].self, at: position) }
        let direct = session.directlyDecodable(Element.self)
        if direct == Int.self { return try scalars(Int.self, in: session, at: position, depth) }
        if direct == Double.self { return try scalars(Double.self, in: session, at: position, depth) }
        if direct == String.self { return try scalars(String.self, in: session, at: position, depth) }
        if let direct {
            return try values(in: session, at: position, depth) {
                try session.value(direct, as: Element.self, at: $0, depth: depth + 1)
            }
        }
        return try values(in: session, at: position, depth) {
            try Element(from: JSONValueDecoder(session: session, position: $0, depth: depth + 1))
        }
    }

    /// `Scalar` and `Element` are the same type.
    @inline(__always)
    private static func scalars<Scalar: JSONScalar>(
        _ type: Scalar.Type, in session: JSONDecodingSession, at position: Int, _ depth: Int
    ) throws -> [Element] {
        let scalars = try values(in: session, at: position, depth) { try Scalar.read(in: session, at: $0) }
        return unsafeBitCast(scalars, to: [Element].self)
    }

    @inline(__always)
    private static func values<Value>(
        in session: JSONDecodingSession, at position: Int, _ depth: Int, _ read: (Int) throws -> Value
    ) throws -> [Value] {
        let word = session.tape.word(at: position)
        // For an empty array, the initializer would write to the empty storage that all threads share.
        if word.length == 0 { return [] }
        return try [Value](unsafeUninitializedCapacity: word.length) { values, count in
            var place = position &+ 1
            while place < word.offset {
                session.track(place, index: count, ofContainerAt: position, depth: depth)
                values.initializeElement(at: count, to: try read(place))
                count &+= 1
                place = session.tape.end(of: place)
            }
        }
    }
}

/// A dictionary is read directly, because a decoder would convert its names with the key strategy.
extension Dictionary: JSONDirectlyDecodable where Key == String, Value: Decodable {
    static func read(in session: JSONDecodingSession, at position: Int, depth: Int) throws -> [String: Value]
    {
        let tape = session.tape
        let word = tape.word(at: position)
        guard word.kind == .object else { throw session.mismatch([String: Any].self, at: position) }
        var members: [String: Value] = Dictionary(minimumCapacity: word.length)
        for place in tape.parts(ofContainerAt: position) {
            session.track(place, index: 0, ofContainerAt: position, depth: depth, keepsNames: true)
            let value = try session.value(Value.self, at: place &+ 1, depth: depth &+ 1)
            let name = tape.string(tape.word(at: place))
            if let first = members.updateValue(value, forKey: name) { members[name] = first }
        }
        return members
    }
}

extension URL: JSONDirectlyDecodable {
    static func read(in session: JSONDecodingSession, at position: Int, depth: Int) throws -> URL {
        let text = try String.read(in: session, at: position)
        guard let url = URL(string: text) else {
            throw session.corrupted("\"\(text)\" isn't a URL", at: position)
        }
        return url
    }
}

extension Decimal: JSONDirectlyDecodable {
    static func read(in session: JSONDecodingSession, at position: Int, depth: Int) throws -> Decimal {
        let word = session.tape.word(at: position)
        guard word.isNumber else { throw session.mismatch(Decimal.self, at: position) }
        guard let decimal = JSONNumber.decimal(session.tape.text(of: word)) else {
            throw session.beyond(Decimal.self, at: position)
        }
        return decimal
    }
}

extension Date: JSONDirectlyDecodable {
    static func read(in session: JSONDecodingSession, at position: Int, depth: Int) throws -> Date {
        if session.isNull(at: position) { throw session.mismatch(Date.self, at: position) }
        let decoder = JSONValueDecoder(session: session, position: position, depth: depth)
        switch session.options.dateDecodingStrategy {
        case .secondsSince1970: return Date(timeIntervalSince1970: try Double.read(in: session, at: position))
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try Double.read(in: session, at: position) / 1000)
        case .iso8601:
            let text = try String.read(in: session, at: position)
            guard let date = try? Date(text, strategy: .iso8601) else {
                throw session.corrupted("\"\(text)\" isn't an ISO 8601 date", at: position)
            }
            return date
        case .custom(let read): return try read(decoder)
        #if canImport(Darwin)
            case .formatted(let formatter):
                let text = try String.read(in: session, at: position)
                guard let date = formatter.date(from: text) else {
                    throw session.corrupted("\"\(text)\" doesn't match the formatter", at: position)
                }
                return date
        #endif
        default: return try Date(from: decoder)
        }
    }
}

extension Data: JSONDirectlyDecodable {
    static func read(in session: JSONDecodingSession, at position: Int, depth: Int) throws -> Data {
        if session.isNull(at: position) { throw session.mismatch(Data.self, at: position) }
        let decoder = JSONValueDecoder(session: session, position: position, depth: depth)
        switch session.options.dataDecodingStrategy {
        case .base64:
            guard let data = Data(base64Encoded: try String.read(in: session, at: position)) else {
                throw session.corrupted("the string isn't Base64", at: position)
            }
            return data
        case .custom(let read): return try read(decoder)
        default: return try Data(from: decoder)
        }
    }
}
