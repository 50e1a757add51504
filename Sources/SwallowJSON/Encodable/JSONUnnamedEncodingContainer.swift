/// An array or a single value. Functions for 128-bit integers would compete here with the standard library's functions.
protocol JSONUnnamedEncodingContainer {
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
