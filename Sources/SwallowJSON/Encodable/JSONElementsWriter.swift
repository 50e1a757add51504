/// An array that is being written.
struct JSONElementsWriter: UnkeyedEncodingContainer, JSONNextWriter {
    let writing: JSONWriting
    let place: JSONPlace

    var codingPath: [any CodingKey] { writing.path(to: place) }
    var count: Int { writing.count(at: place) }

    @inline(__always)
    func begin() -> JSONWriting? {
        writing.beginItem(of: place) ? writing : nil
    }

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
