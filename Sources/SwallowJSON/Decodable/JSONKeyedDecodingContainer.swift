/// A container of only two words, so that copies are cheap.
struct JSONKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let members: JSONMemberLookup
    private let search: UnsafeMutablePointer<JSONMemberSearch>

    init(_ members: JSONMemberLookup) {
        self.members = members
        search = members.search
    }

    private var session: JSONDecodingSession { members.session }

    private var depth: Int { search.pointee.depth }

    var codingPath: [any CodingKey] { session.path(to: search.pointee.object) }

    var allKeys: [Key] { members.allNames.compactMap { Key(stringValue: $0) } }

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

    @inline(__always)
    private func scalar<Scalar: JSONScalar>(_ key: Key) throws -> Scalar {
        let position = try value(key)
        return try Scalar.usual(in: search.pointee.tape, at: position)
            ?? Scalar.read(in: session, at: position)
    }

    @inline(__always)
    private func scalarIfPresent<Scalar: JSONScalar>(_ key: Key) throws -> Scalar? {
        let position = find(key)
        guard position >= 0 else { return nil }
        if let value = Scalar.usual(in: search.pointee.tape, at: position) { return value }
        return isNull(at: position) ? nil : try Scalar.read(in: session, at: position)
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

extension JSONKeyedDecodingContainer {
    func contains(_ key: Key) -> Bool { find(key) >= 0 }

    func decodeNil(forKey key: Key) throws -> Bool { isNull(at: try value(key)) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try session.value(type, at: value(key), depth: depth + 1)
    }

    @inline(__always)
    func decode<Scalar: JSONScalar>(_ type: Scalar.Type, forKey key: Key) throws -> Scalar {
        try scalar(key)
    }

    // Without these two functions, the standard library's default implementations would hide the generic `decode`.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try scalar(key) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try scalar(key) }
}

// The standard library's default implementations of these functions would look up a member up to three times.
extension JSONKeyedDecodingContainer {
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let position = find(key)
        guard position >= 0, !isNull(at: position) else { return nil }
        return try session.value(type, at: position, depth: depth + 1)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try scalarIfPresent(key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try scalarIfPresent(key) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try scalarIfPresent(key) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try scalarIfPresent(key)
    }
}

extension JSONKeyedDecodingContainer {
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
        let position = find(key)
        guard position < 0 else { return decoder(at: position) }
        let null = Int(JSONWord.Kind.null.rawValue)
        let absent = JSONDecodingSession(.constants, root: null, session.options, path: codingPath + [key])
        return JSONValueDecoder(session: absent, position: null, depth: 0)
    }

    private func decoder(at position: Int) -> JSONValueDecoder {
        JSONValueDecoder(session: session, position: position, depth: depth + 1)
    }
}
