/// An object that is being written.
struct JSONKeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writing: JSONWriting
    let place: JSONPlace

    var codingPath: [any CodingKey] { writing.path(to: place) }

    /// Writes a member's name; its value is to follow. Nil where the object has ended.
    @inline(__always)
    private func begin(_ key: Key) -> JSONWriting? {
        writing.beginMember(key.stringValue, of: place) ? writing : nil
    }

    func encodeNil(forKey key: Key) { begin(key)?.writeNull() }
    func encode(_ value: Bool, forKey key: Key) { begin(key)?.write(value) }
    func encode(_ value: String, forKey key: Key) { begin(key)?.write(value) }
    func encode(_ value: Double, forKey key: Key) { begin(key)?.write(number: value) }
    func encode(_ value: Float, forKey key: Key) { begin(key)?.write(number: value) }

    @inline(__always)
    func encode<Integer: FixedWidthInteger & Encodable>(_ value: Integer, forKey key: Key) {
        begin(key)?.write(number: value)
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

    func superEncoder() -> any Encoder { superEncoder(named: JSONKey.super.stringValue) }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(named: key.stringValue) }

    private func superEncoder(named name: String) -> any Encoder {
        let isBegun = writing.beginMember(name, of: place)
        return JSONValueEncoder(writing: writing, place: isBegun ? writing.beginValue() : place)
    }
}
