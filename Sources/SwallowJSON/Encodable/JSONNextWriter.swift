/// A container of values without names, which is an array or a single value.
///
/// The containers declare the functions for integers of 128 bits. Here, they would compete with those of the standard library.
protocol JSONNextWriter {
    /// Prepares the text for the next value. Returns `nil` if there can't be one.
    func begin() -> JSONWriting?
}

extension JSONNextWriter {
    func encodeNil() { begin()?.writeNull() }

    @inline(__always)
    func encode<Scalar: JSONScalar>(_ value: Scalar) {
        if let writing = begin() { Scalar.write(value, to: writing) }
    }

    func encode(_ value: some Encodable) throws { try begin()?.write(value) }
}
