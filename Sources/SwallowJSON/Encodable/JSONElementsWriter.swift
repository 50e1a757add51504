/// An array that is being written.
struct JSONElementsWriter: UnkeyedEncodingContainer, JSONNextWriter {
    let writing: JSONWriting
    let place: JSONPlace

    var codingPath: [any CodingKey] { writing.codingPath(of: place) }
    var count: Int { writing.count(at: place) }

    @inline(__always)
    func begin() -> JSONWriting? {
        writing.beginItem(of: place) ? writing : nil
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) { if let writing = begin() { Int128.write(value, to: writing) } }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) { if let writing = begin() { UInt128.write(value, to: writing) } }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(JSONKeyedWriter<Nested>(writing: writing, place: nested(.object)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONElementsWriter(writing: writing, place: nested(.array))
    }

    private func nested(_ container: JSONWriting.Container) -> JSONPlace {
        begin()?.begin(container) ?? place
    }

    func superEncoder() -> any Encoder {
        JSONValueEncoder(writing: writing, place: begin()?.beginValue() ?? place)
    }
}
