/// An array or a single value. The conforming types declare the functions for 128-bit integers, because here these
/// functions would compete with the standard library's default implementations.
protocol JSONUnnamedEncodingContainer {
    /// Returns `nil` if there can't be another value.
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
