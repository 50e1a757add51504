/// The encoder of one value: three words, so that no `any Encoder` of it is allocated.
struct JSONValueEncoder: Encoder {
    let writing: JSONWriting
    let place: JSONPlace

    var codingPath: [any CodingKey] { writing.codingPath(of: place) }
    var userInfo: [CodingUserInfoKey: Any] { writing.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        writing.open(.object, at: place)
        return KeyedEncodingContainer(JSONKeyedWriter<Key>(writing: writing, place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writing.open(.array, at: place)
        return JSONElementsWriter(writing: writing, place: place)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONValueEncoder: SingleValueEncodingContainer, JSONNextWriter {
    @inline(__always)
    func begin() -> JSONWriting? {
        writing.beginSingle(at: place) ? writing : nil
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) { if let writing = begin() { Int128.write(value, to: writing) } }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) { if let writing = begin() { UInt128.write(value, to: writing) } }
}
