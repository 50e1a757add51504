/// The decoder of one value. It has only three words, so that converting it to `any Decoder` allocates no memory.
struct JSONValueDecoder: Decoder {
    let session: JSONDecodingSession
    let position: Int
    let depth: Int

    var codingPath: [any CodingKey] { session.path(to: position) }

    var userInfo: [CodingUserInfoKey: Any] { session.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard session.tape.word(at: position).kind == .object else {
            throw session.mismatch([String: Any].self, at: position)
        }
        return session.containers.container(of: self)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard session.tape.word(at: position).kind == .array else {
            throw session.mismatch([Any].self, at: position)
        }
        return JSONUnkeyedDecodingContainer(self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { session.isNull(at: position) }

    @inline(__always)
    func decode<Scalar: JSONScalar>(_ type: Scalar.Type) throws -> Scalar {
        try Scalar.read(in: session, at: position)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: Int128.Type) throws -> Int128 { try Int128.read(in: session, at: position) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: UInt128.Type) throws -> UInt128 { try UInt128.read(in: session, at: position) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try session.value(type, at: position, depth: depth)
    }
}
