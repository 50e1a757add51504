/// The decoder of one value: three words, so that no `any Decoder` of it is allocated.
struct JSONValueDecoder: Decoder {
    let reading: JSONReading
    let position: Int
    /// How many containers are around the value.
    let depth: Int

    var codingPath: [any CodingKey] { reading.path(to: position) }

    var userInfo: [CodingUserInfoKey: Any] { reading.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard reading.tape.word(at: position).kind == .object else {
            throw reading.mismatch([String: Any].self, at: position)
        }
        return reading.containers.container(of: self)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard reading.tape.word(at: position).kind == .array else {
            throw reading.mismatch([Any].self, at: position)
        }
        return JSONElementsContainer(self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func superDecoder(of key: any CodingKey, at position: Int?) -> any Decoder {
        if let position { return JSONValueDecoder(reading: reading, position: position, depth: depth + 1) }
        let path = codingPath + [key]
        let absent = JSONReading(
            .constants, root: Int(JSONWord.Kind.null.rawValue), reading.options, path: path)
        return JSONValueDecoder(reading: absent, position: Int(JSONWord.Kind.null.rawValue), depth: 0)
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { reading.isNull(at: position) }
    @inline(__always)
    func decode<Scalar: JSONScalar>(_ type: Scalar.Type) throws -> Scalar {
        try Scalar.read(in: reading, at: position)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: Int128.Type) throws -> Int128 { try Int128.read(in: reading, at: position) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: UInt128.Type) throws -> UInt128 { try UInt128.read(in: reading, at: position) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try reading.value(type, at: position, depth: depth)
    }
}
