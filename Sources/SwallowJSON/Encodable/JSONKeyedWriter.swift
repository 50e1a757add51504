/// An object that is being written.
struct JSONKeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writing: JSONWriting
    let place: JSONPlace

    var codingPath: [any CodingKey] { writing.codingPath(of: place) }

    /// Writes a member's name; its value is to follow. Nil where the object has ended.
    @inline(__always)
    private func begin(_ key: Key) -> JSONWriting? {
        writing.beginMember(key, of: place) ? writing : nil
    }

    func encodeNil(forKey key: Key) { begin(key)?.writeNull() }

    @inline(__always)
    func encode<Scalar: JSONScalar>(_ value: Scalar, forKey key: Key) {
        if let writing = begin(key) { Scalar.write(value, to: writing) }
    }

    // The standard library's default implementations for 128 bits take precedence over the generic function.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128, forKey key: Key) {
        if let writing = begin(key) { Int128.write(value, to: writing) }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128, forKey key: Key) {
        if let writing = begin(key) { UInt128.write(value, to: writing) }
    }

    func encode(_ value: some Encodable, forKey key: Key) throws { try begin(key)?.write(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(JSONKeyedWriter<Nested>(writing: writing, place: nested(.object, key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        JSONElementsWriter(writing: writing, place: nested(.array, key))
    }

    /// Once the object has ended, what is inside of it is no matter.
    private func nested(_ container: JSONWriting.Container, _ key: Key) -> JSONPlace {
        begin(key)?.begin(container) ?? place
    }

    func superEncoder() -> any Encoder { superEncoder(named: JSONKey.super) }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(named: key) }

    private func superEncoder(named key: some CodingKey) -> any Encoder {
        let isBegun = writing.beginMember(key, of: place)
        return JSONValueEncoder(writing: writing, place: isBegun ? writing.beginValue() : place)
    }
}
