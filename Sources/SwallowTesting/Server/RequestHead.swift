/// The request line and the header fields of a valid request (RFC 9112 §3 and §5).
package struct RequestHead {
    enum Framing {
        case length(Int)
        case chunked
    }

    private(set) var method = ""
    private(set) var target = ""
    private(set) var isHTTP10 = false
    private(set) var headers: [(name: String, value: String)] = []

    typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    /// Parses a head without its final empty line.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(ConnectionFailure) {
        var rest = bytes[...]
        try parseRequestLine(Self.takeLine(&rest))
        while !rest.isEmpty {
            try parseField(Self.takeLine(&rest))
        }
        let hosts = headers.count { $0.name.equalsIgnoringCase("Host") }
        guard hosts == 1 || (hosts == 0 && isHTTP10) else { throw .rejected(status: 400) }
    }

    func header(_ name: String) -> String? {
        headers.first { $0.name.equalsIgnoringCase(name) }?.value
    }

    var keepsAlive: Bool {
        let tokens = (header("Connection") ?? "").split { $0 == "," || $0 == " " }
        return !isHTTP10 && !tokens.contains { $0.equalsIgnoringCase("close") }
    }

    var expectsContinue: Bool {
        !isHTTP10 && header("Expect")?.equalsIgnoringCase("100-continue") == true
    }

    /// Returns how the end of the body is determined (RFC 9112 §6.3).
    func framing() throws(ConnectionFailure) -> Framing {
        let lengths = Set(headers.lazy.filter { $0.name.equalsIgnoringCase("Content-Length") }.map(\.value))
        if let coding = header("Transfer-Encoding") {
            guard lengths.isEmpty else { throw .rejected(status: 400) }
            guard coding.equalsIgnoringCase("chunked") else { throw .rejected(status: 501) }
            return .chunked
        }
        guard let text = lengths.first else { return .length(0) }
        guard lengths.count == 1, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .rejected(status: 400)
        }
        guard let length = Int(text) else { throw .rejected(status: 413) }
        return .length(length)
    }

    private mutating func parseRequestLine(_ line: Bytes) throws(ConnectionFailure) {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, Self.isToken(parts[0]), !parts[1].isEmpty,
            parts[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else {
            throw .rejected(status: 400)
        }
        switch String(decoding: parts[2], as: UTF8.self) {
        case "HTTP/1.1": break
        case "HTTP/1.0": isHTTP10 = true
        case let version: throw .rejected(status: version.hasPrefix("HTTP/") ? 505 : 400)
        }
        method = String(decoding: parts[0], as: UTF8.self)
        target = String(decoding: parts[1], as: UTF8.self)
    }

    private mutating func parseField(_ line: Bytes) throws(ConnectionFailure) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), Self.isToken(line[..<colon]) else {
            throw .rejected(status: 400)
        }
        var value = line[line.index(after: colon)...].drop(while: Self.isBlank)
        while let last = value.last, Self.isBlank(last) { value.removeLast() }
        headers.append((String(decoding: line[..<colon], as: UTF8.self), Self.text(value)))
    }

    /// Removes and returns a line. Only the last line may lack its CRLF. Any other CR, LF or NUL is an error.
    private static func takeLine(_ rest: inout Bytes) throws(ConnectionFailure) -> Bytes {
        // In a debug build, indices are faster than an iterator, because each step of an iterator takes a lock.
        var end = rest.startIndex
        while end < rest.endIndex {
            let byte = rest.base[end]
            if byte == 0x0D || byte == 0x0A || byte == 0 { break }
            end += 1
        }
        let line = rest[..<end]
        rest = rest[end...]
        guard rest.isEmpty || rest.starts(with: [0x0D, 0x0A]) else { throw .rejected(status: 400) }
        rest = rest.dropFirst(2)
        return line
    }

    /// Decodes valid UTF-8, and other bytes as ISO-8859-1, so that no byte is lost.
    private static func text(_ bytes: Bytes) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        if text.utf8.elementsEqual(bytes) { return text }
        return String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Returns whether the bytes are a token as RFC 9110 §5.6.2 defines it.
    package static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: tokenMarks.contains(byte)
                }
            }
    }

    private static let tokenMarks = Array("!#$%&'*+-.^_`|~".utf8)
}
