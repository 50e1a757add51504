/// The encoder of one value: three words, so that no `any Encoder` of it is allocated.
struct JSONValueEncoder: Encoder {
    let writing: JSONWriting
    let place: JSONPlace

    init(writing: JSONWriting, place: JSONPlace) {
        self.writing = writing
        self.place = place
    }

    /// An encoder for what `JSONEncoder` has to write: nothing that it is given is kept.
    init(unplain writing: JSONWriting, at place: JSONPlace) {
        writing.giveUp()
        self.init(writing: writing, place: place)
    }

    var codingPath: [any CodingKey] { writing.path(to: place) }
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
    func begin() throws -> JSONWriting {
        try writing.beginSingle(at: place)
        return writing
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) throws { try begin().write(number: value) }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) throws { try begin().write(number: value) }
}
