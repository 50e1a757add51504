struct JSONUnkeyedEncodingContainer: UnkeyedEncodingContainer, JSONUnnamedEncodingContainer {
    let session: JSONEncodingSession
    let id: JSONLevelID

    var codingPath: [any CodingKey] { session.codingPath(of: id) }
    var count: Int { session.count(at: id) }

    @inline(__always)
    func begin() -> Bool { session.beginItem(of: id) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) { writeScalar(value) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) { writeScalar(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(JSONKeyedEncodingContainer<Nested>(session: session, id: nested(.object)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONUnkeyedEncodingContainer(session: session, id: nested(.array))
    }

    private func nested(_ form: JSONEncodingSession.Level.Form) -> JSONLevelID {
        begin() ? session.begin(form) : id
    }

    func superEncoder() -> any Encoder {
        JSONValueEncoder(session: session, id: begin() ? session.beginValue() : id)
    }
}

/// The functions that the containers of arrays and single values share. Each container itself declares the functions
/// for 128-bit integers, because here they would be ambiguous with the standard library's default implementations.
protocol JSONUnnamedEncodingContainer {
    var session: JSONEncodingSession { get }
    func begin() -> Bool
}

extension JSONUnnamedEncodingContainer {
    func encodeNil() {
        if begin() { session.writeNull() }
    }

    @inline(__always)
    func encode<Scalar: JSONScalar>(_ value: Scalar) { writeScalar(value) }

    @inline(__always)
    func writeScalar<Scalar: JSONScalar>(_ value: Scalar) {
        if begin() { Scalar.write(value, to: session) }
    }

    func encode(_ value: some Encodable) throws {
        if begin() { try session.write(value) }
    }
}
