struct JSONKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let session: JSONEncodingSession
    let id: JSONLevelID

    var codingPath: [any CodingKey] { session.codingPath(of: id) }

    @inline(__always)
    private func begin(_ key: Key) -> Bool { session.beginMember(key, of: id) }

    func encodeNil(forKey key: Key) {
        if begin(key) { session.writeNull() }
    }

    @inline(__always)
    func encode<Scalar: JSONScalar>(_ value: Scalar, forKey key: Key) { writeScalar(value, key) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128, forKey key: Key) { writeScalar(value, key) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128, forKey key: Key) { writeScalar(value, key) }

    @inline(__always)
    private func writeScalar<Scalar: JSONScalar>(_ value: Scalar, _ key: Key) {
        if begin(key) { Scalar.write(value, to: session) }
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        if begin(key) { try session.write(value) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(JSONKeyedEncodingContainer<Nested>(session: session, id: nested(.object, key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        JSONUnkeyedEncodingContainer(session: session, id: nested(.array, key))
    }

    private func nested(_ form: JSONEncodingSession.Level.Form, _ key: Key) -> JSONLevelID {
        begin(key) ? session.begin(form) : id
    }

    func superEncoder() -> any Encoder { superEncoder(of: JSONKey.super) }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(of: key) }

    private func superEncoder(of key: some CodingKey) -> any Encoder {
        let isBegun = session.beginMember(key, of: id)
        return JSONValueEncoder(session: session, id: isBegun ? session.beginValue() : id)
    }
}
