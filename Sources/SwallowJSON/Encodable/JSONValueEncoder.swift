struct JSONValueEncoder: Encoder {
    let session: JSONEncodingSession
    let id: JSONLevelID

    var codingPath: [any CodingKey] { session.codingPath(of: id) }
    var userInfo: [CodingUserInfoKey: Any] { session.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        session.open(.object, at: id)
        return KeyedEncodingContainer(JSONKeyedEncodingContainer<Key>(session: session, id: id))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        session.open(.array, at: id)
        return JSONUnkeyedEncodingContainer(session: session, id: id)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONValueEncoder: SingleValueEncodingContainer, JSONUnnamedEncodingContainer {
    @inline(__always)
    func begin() -> Bool { session.beginSingle(at: id) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) { writeScalar(value) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) { writeScalar(value) }
}
