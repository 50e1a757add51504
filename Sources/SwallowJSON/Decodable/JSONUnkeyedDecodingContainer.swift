struct JSONUnkeyedDecodingContainer: UnkeyedDecodingContainer {
    private let session: JSONDecodingSession
    private let array: Int
    private let end: Int
    private let depth: Int
    private var position: Int
    private(set) var currentIndex = 0

    init(_ decoder: JSONValueDecoder) {
        (session, array, depth) = (decoder.session, decoder.position, decoder.depth)
        end = session.tape.end(of: array)
        position = array + 1
    }

    var codingPath: [any CodingKey] { session.path(to: array) }

    var count: Int? { session.tape.word(at: array).length }

    var isAtEnd: Bool { position >= end }

    @inline(__always)
    private mutating func next<Value>(
        _ type: Any.Type, _ read: (JSONValueDecoder) throws -> Value
    ) throws -> Value {
        guard position < end else { throw atEnd(type) }
        session.track(position, index: currentIndex, ofContainerAt: array, depth: depth)
        let value = try read(JSONValueDecoder(session: session, position: position, depth: depth + 1))
        position = session.tape.end(of: position)
        currentIndex += 1
        return value
    }

    private func atEnd(_ type: Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            .init(
                codingPath: codingPath + [JSONKey(index: currentIndex)],
                debugDescription: "the array has only \(currentIndex) elements"))
    }
}

extension JSONUnkeyedDecodingContainer {
    mutating func decodeNil() throws -> Bool {
        guard position < end else { throw atEnd(Any?.self) }
        guard session.isNull(at: position) else { return false }
        position += 1
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next(type) { try $0.decode(type) }
    }

    mutating func decode<Scalar: JSONScalar>(_ type: Scalar.Type) throws -> Scalar { try scalar() }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try scalar() }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try scalar() }

    @inline(__always)
    private mutating func scalar<Scalar: JSONScalar>() throws -> Scalar {
        try next(Scalar.self) { try $0.decode(Scalar.self) }
    }
}

extension JSONUnkeyedDecodingContainer {
    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next(KeyedDecodingContainer<Nested>.self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next((any UnkeyedDecodingContainer).self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder {
        try next((any Decoder).self) { $0 }
    }
}
