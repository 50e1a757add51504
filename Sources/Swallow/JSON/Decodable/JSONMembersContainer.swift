/// The members of an object, as the keyed container of a decoder.
struct JSONMembersContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let reading: JSONReading
    private let object: Int
    private let end: Int
    private let depth: Int
    /// The members' values by converted name, where a strategy converts names.
    private let converted: [String: Int]?

    init(_ decoder: JSONValueDecoder) {
        (reading, object, depth) = (decoder.reading, decoder.position, decoder.depth)
        end = reading.tape.end(of: object)
        converted = decoder.reading.convertsNames ? Self.converted(decoder) : nil
    }

    private static func converted(_ decoder: JSONValueDecoder) -> [String: Int] {
        let reading = decoder.reading
        let path = reading.pathForNames(of: decoder.position)
        var values: [String: Int] = [:]
        reading.tape.forEachName(ofObjectAt: decoder.position) { name, value in
            let name = reading.key(name, at: path).stringValue
            if values[name] == nil { values[name] = value }
        }
        return values
    }

    var codingPath: [any CodingKey] { reading.path(to: object) }

    /// In the document's order, each once.
    var allKeys: [Key] {
        var (names, keys): (Set<String>, [Key]) = ([], [])
        let path = reading.pathForNames(of: object)
        reading.tape.forEachName(ofObjectAt: object) { name, _ in
            let name = reading.convertsNames ? reading.key(name, at: path).stringValue : name
            if names.insert(name).inserted, let key = Key(stringValue: name) { keys.append(key) }
        }
        return keys
    }

    @inline(__always)
    private func find(_ key: some CodingKey) -> Int? {
        if let converted {
            guard let position = converted[key.stringValue] else { return nil }
            reading.enter(position - 1, index: 0, ofContainerAt: object, depth: depth)
            return position
        }
        return reading.member(key.stringValue, ofObjectAt: object, end: end, depth: depth)
    }

    @inline(__always)
    private func value(_ key: Key) throws -> Int {
        guard let position = find(key) else { throw notFound(key) }
        return position
    }

    /// The position of a value that is there and isn't null.
    @inline(__always)
    private func present(_ key: Key) -> Int? {
        guard let position = find(key), !reading.isNull(at: position) else { return nil }
        return position
    }

    private func notFound(_ key: Key) -> DecodingError {
        .keyNotFound(
            key, .init(codingPath: codingPath, debugDescription: "there is no member \"\(key.stringValue)\""))
    }
}

// MARK: - Values

extension JSONMembersContainer {
    func contains(_ key: Key) -> Bool { find(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { reading.isNull(at: try value(key)) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try reading.value(type, at: value(key), depth: depth + 1)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let position = present(key) else { return nil }
        return try reading.value(type, at: position, depth: depth + 1)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try reading.bool(at: value(key))
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key).map { try reading.bool(at: $0) }
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try reading.string(at: value(key))
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key).map { try reading.string(at: $0) }
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try reading.double(at: value(key))
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key).map { try reading.double(at: $0) }
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try reading.float(at: value(key))
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try present(key).map { try reading.float(at: $0) }
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try reading.integer(Int.self, at: value(key))
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key).map { try reading.integer(Int.self, at: $0) }
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try reading.integer(Int8.self, at: value(key))
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try present(key).map { try reading.integer(Int8.self, at: $0) }
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try reading.integer(Int16.self, at: value(key))
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try present(key).map { try reading.integer(Int16.self, at: $0) }
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try reading.integer(Int32.self, at: value(key))
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try present(key).map { try reading.integer(Int32.self, at: $0) }
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try reading.integer(Int64.self, at: value(key))
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try present(key).map { try reading.integer(Int64.self, at: $0) }
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try reading.integer(UInt.self, at: value(key))
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try present(key).map { try reading.integer(UInt.self, at: $0) }
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try reading.integer(UInt8.self, at: value(key))
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try present(key).map { try reading.integer(UInt8.self, at: $0) }
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try reading.integer(UInt16.self, at: value(key))
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try present(key).map { try reading.integer(UInt16.self, at: $0) }
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try reading.integer(UInt32.self, at: value(key))
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try present(key).map { try reading.integer(UInt32.self, at: $0) }
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try reading.integer(UInt64.self, at: value(key))
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try present(key).map { try reading.integer(UInt64.self, at: $0) }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try reading.integer(Int128.self, at: value(key))
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try present(key).map { try reading.integer(Int128.self, at: $0) }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try reading.integer(UInt128.self, at: value(key))
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try present(key).map { try reading.integer(UInt128.self, at: $0) }
    }
}

// MARK: - Nested containers

extension JSONMembersContainer {
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(at: value(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(at: value(key)).unkeyedContainer()
    }

    func superDecoder() -> any Decoder {
        superDecoder(JSONKey.super)
    }

    func superDecoder(forKey key: Key) -> any Decoder {
        superDecoder(key)
    }

    private func superDecoder(_ key: some CodingKey) -> any Decoder {
        let container = JSONValueDecoder(reading: reading, position: object, depth: depth)
        return container.superDecoder(of: key, at: find(key))
    }

    private func decoder(at position: Int) -> JSONValueDecoder {
        JSONValueDecoder(reading: reading, position: position, depth: depth + 1)
    }
}

extension JSONTape {
    /// Gives each member's name and its value's position.
    fileprivate func forEachName(ofObjectAt position: Int, _ body: (String, Int) -> Void) {
        var place = position + 1
        let end = end(of: position)
        while place < end {
            body(string(word(at: place)), place + 1)
            place = self.end(of: place + 1)
        }
    }
}
