/// A container whose values have no names: an array, or one value alone.
///
/// Integers of 128 bits aren't here: where systems may lack them, they and any `Encodable` type would fit the same
/// requirement.
protocol JSONNextWriter {
    /// Makes the text ready for the next value; nil where it can't have one.
    func begin() -> JSONWriting?
}

extension JSONNextWriter {
    func encodeNil() { begin()?.writeNull() }
    func encode(_ value: Bool) { begin()?.write(value) }
    func encode(_ value: String) { begin()?.write(value) }
    func encode(_ value: Double) { begin()?.write(number: value) }
    func encode(_ value: Float) { begin()?.write(number: value) }

    @inline(__always)
    func encode<Integer: FixedWidthInteger & Encodable>(_ value: Integer) { begin()?.write(number: value) }

    func encode(_ value: some Encodable) throws { try begin()?.write(value) }
}
