/// A container whose values have no names: an array, or one value alone.
///
/// Integers of 128 bits aren't here: where systems may lack them, they and any `Encodable` type would fit the same
/// requirement.
protocol JSONNextWriter {
    /// Makes the text ready for the next value.
    func begin() throws -> JSONWriting
}

extension JSONNextWriter {
    func encodeNil() throws { try begin().writeNull() }
    func encode(_ value: Bool) throws { try begin().write(value) }
    func encode(_ value: String) throws { try begin().write(value) }
    func encode(_ value: Double) throws { try begin().write(number: value) }
    func encode(_ value: Float) throws { try begin().write(number: value) }
    func encode(_ value: Int) throws { try begin().write(number: value) }
    func encode(_ value: Int8) throws { try begin().write(number: value) }
    func encode(_ value: Int16) throws { try begin().write(number: value) }
    func encode(_ value: Int32) throws { try begin().write(number: value) }
    func encode(_ value: Int64) throws { try begin().write(number: value) }
    func encode(_ value: UInt) throws { try begin().write(number: value) }
    func encode(_ value: UInt8) throws { try begin().write(number: value) }
    func encode(_ value: UInt16) throws { try begin().write(number: value) }
    func encode(_ value: UInt32) throws { try begin().write(number: value) }
    func encode(_ value: UInt64) throws { try begin().write(number: value) }

    func encode(_ value: some Encodable) throws { try begin().write(value) }
}
