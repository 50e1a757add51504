/// The functions that the containers of arrays and single values share. Each container itself declares the functions
/// for 128-bit integers, because here they would be ambiguous with the standard library's default implementations.
protocol JSONUnnamedEncodingContainer {
    var session: JSONEncodingSession { get }
    func begin() -> Bool
}

extension JSONUnnamedEncodingContainer {
    func encodeNil() {
        if begin() { session.writeNull() }
    }

    @inline(__always)
    func encode<Scalar: JSONScalar>(_ value: Scalar) { writeScalar(value) }

    @inline(__always)
    func writeScalar<Scalar: JSONScalar>(_ value: Scalar) {
        if begin() { Scalar.write(value, to: session) }
    }

    func encode(_ value: some Encodable) throws {
        if begin() { try session.write(value) }
    }
}
