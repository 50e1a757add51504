/// The members of an object, as the keyed container of a decoder.
///
/// The standard library's box copies it for each field, so it is small.
struct JSONMembersContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let members: JSONMembers
    /// Owned by `members`.
    private let search: UnsafeMutablePointer<JSONMemberSearch>

    init(_ members: JSONMembers) {
        self.members = members
        search = members.search
    }

    private var reading: JSONReading { members.reading }

    private var depth: Int { search.pointee.depth }

    var codingPath: [any CodingKey] { reading.path(to: search.pointee.object) }

    /// In the document's order, each once.
    var allKeys: [Key] { members.allNames.compactMap { Key(stringValue: $0) } }

    /// The position of a value; negative if there is none.
    @inline(__always)
    private func find(_ key: some CodingKey) -> Int {
        let name = key.stringValue
        let position = search.pointee.position(of: name)
        return _fastPath(position != JSONMemberSearch.unknown) ? position : members.positionInTable(of: name)
    }

    @inline(__always)
    private func value(_ key: Key) throws -> Int {
        let position = find(key)
        guard position >= 0 else { throw notFound(key) }
        return position
    }

    /// Reads a value; in most cases without the reading, which would be retained.
    @inline(__always)
    private func scalar<Value>(
        _ key: Key, _ usual: (JSONTape, Int) -> Value?, _ unusual: (JSONReading, Int) throws -> Value
    ) throws -> Value {
        let position = try value(key)
        return try usual(search.pointee.tape, position) ?? unusual(reading, position)
    }

    /// As ``scalar(_:_:_:)``, but nil for a value that is null or missing.
    @inline(__always)
    private func scalarIfPresent<Value>(
        _ key: Key, _ usual: (JSONTape, Int) -> Value?, _ unusual: (JSONReading, Int) throws -> Value
    ) throws -> Value? {
        let position = find(key)
        guard position >= 0 else { return nil }
        if let value = usual(search.pointee.tape, position) { return value }
        return isNull(at: position) ? nil : try unusual(reading, position)
    }

    @inline(__always)
    private func isNull(at position: Int) -> Bool {
        search.pointee.tape.word(at: position).kind == .null
    }

    @inline(never)
    private func notFound(_ key: Key) -> DecodingError {
        .keyNotFound(
            key, .init(codingPath: codingPath, debugDescription: "there is no member \"\(key.stringValue)\""))
    }
}

// MARK: - Values

extension JSONMembersContainer {
    func contains(_ key: Key) -> Bool { find(key) >= 0 }

    func decodeNil(forKey key: Key) throws -> Bool { isNull(at: try value(key)) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try reading.value(type, at: value(key), depth: depth + 1)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let position = find(key)
        guard position >= 0, !isNull(at: position) else { return nil }
        return try reading.value(type, at: position, depth: depth + 1)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try scalar(key, { $0.bool(at: $1) }, { try $0.bool(at: $1) })
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try scalarIfPresent(key, { $0.bool(at: $1) }, { try $0.bool(at: $1) })
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try scalar(key, { $0.string(at: $1) }, { try $0.string(at: $1) })
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try scalarIfPresent(key, { $0.string(at: $1) }, { try $0.string(at: $1) })
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try scalar(key, { $0.double(at: $1) }, { try $0.double(at: $1) })
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try scalarIfPresent(key, { $0.double(at: $1) }, { try $0.double(at: $1) })
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try scalar(key, { _, _ in nil }, { try $0.float(at: $1) })
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try scalarIfPresent(key, { _, _ in nil }, { try $0.float(at: $1) })
    }

    @inline(__always)
    func decode<Integer: FixedWidthInteger & Decodable>(
        _ type: Integer.Type, forKey key: Key
    ) throws -> Integer {
        try scalar(key, { $0.integer(at: $1) }, { try $0.integer(type, at: $1) })
    }

    @inline(__always)
    func decodeIfPresent<Integer: FixedWidthInteger & Decodable>(
        _ type: Integer.Type, forKey key: Key
    ) throws -> Integer? {
        try scalarIfPresent(key, { $0.integer(at: $1) }, { try $0.integer(type, at: $1) })
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
        let container = JSONValueDecoder(reading: reading, position: search.pointee.object, depth: depth)
        let position = find(key)
        return container.superDecoder(of: key, at: position < 0 ? nil : position)
    }

    private func decoder(at position: Int) -> JSONValueDecoder {
        JSONValueDecoder(reading: reading, position: position, depth: depth + 1)
    }
}
