/// A container of values without names, which is an array or a single value.
///
/// The conforming types declare the functions for integers of 128 bits. Here, these would compete with the standard
/// library's default implementations.
protocol JSONUnnamedEncodingContainer {
    /// Prepares the text for the next value. Returns `nil` if there can't be one.
    func begin() -> JSONEncodingSession?
}

extension JSONUnnamedEncodingContainer {
    func encodeNil() { begin()?.writeNull() }

    @inline(__always)
    func encode<Scalar: JSONScalar>(_ value: Scalar) { writeScalar(value) }

    @inline(__always)
    func writeScalar<Scalar: JSONScalar>(_ value: Scalar) {
        if let session = begin() { Scalar.write(value, to: session) }
    }

    func encode(_ value: some Encodable) throws { try begin()?.write(value) }
}
