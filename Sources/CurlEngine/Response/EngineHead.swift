#if os(Linux) && canImport(Glibc)
    import Foundation
    import Glibc

    /// The head of a response. Its fields are parsed when they are read, because most code reads only the body.
    package struct EngineHead: Sendable {
        package let status: Int
        private let lines: [UInt8]

        init(status: Int, lines: [UInt8]) {
            (self.status, self.lines) = (status, lines)
        }

        package var content: (version: String, fields: [String: String]) {
            var parser = EngineHeadParser()
            lines.withUnsafeBufferPointer { parser.parse($0) }
            return (parser.version, parser.fields)
        }
    }

    private struct EngineHeadParser {
        private(set) var version = ""
        private(set) var fields: [String: String] = [:]
        private var names: [String: String] = [:]

        private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

        mutating func parse(_ lines: UnsafeBufferPointer<UInt8>) {
            fields.reserveCapacity(12)
            var rest = lines[...]
            version = HTTPText.decoded(Self.takeLine(&rest).prefix { $0 != 0x20 })
            var name: String?
            while !rest.isEmpty {
                let line = Self.takeLine(&rest)
                if line.first.map(HTTPText.isBlank) == true {
                    // The line continues the previous line (RFC 9112 §5.2).
                    if let name { fields[name]? += " " + HTTPText.decoded(HTTPText.trimmed(line)) }
                } else {
                    name = parseField(line)
                }
            }
        }

        private mutating func parseField(_ line: Bytes) -> String? {
            guard let colon = Self.index(of: UInt8(ascii: ":"), in: line), colon > line.startIndex else {
                return nil
            }
            let name = HTTPText.decoded(HTTPText.trimmed(line[..<colon]))
            let lowercased = name.lowercased()
            let value = Self.value(HTTPText.trimmed(line[(colon + 1)...]), of: lowercased)
            guard let existing = names[lowercased] else {
                names[lowercased] = name
                fields[name] = value
                return name
            }
            fields[existing]? += ", " + value
            return existing
        }

        /// In debug builds, a slice's own search is much slower.
        private static func index(of byte: UInt8, in bytes: Bytes) -> Int? {
            guard !bytes.isEmpty, let start = bytes.base.baseAddress.map({ UnsafeRawPointer($0) }),
                let place = memchr(start + bytes.startIndex, Int32(byte), bytes.count)
            else { return nil }
            return start.distance(to: UnsafeRawPointer(place))
        }

        private static func takeLine(_ rest: inout Bytes) -> Bytes {
            guard let end = index(of: 0x0A, in: rest) else {
                defer { rest = rest[rest.endIndex...] }
                return rest
            }
            defer { rest = rest[(end + 1)...] }
            let line = rest[..<end]
            return line.last == 0x0D ? line.dropLast() : line
        }

        /// A redirect needs the exact bytes of the server, so a `Location` that isn't UTF-8 is percent-encoded.
        private static func value(_ bytes: Bytes, of name: String) -> String {
            guard name == "location", String(validating: bytes, as: UTF8.self) == nil else {
                return HTTPText.decoded(bytes)
            }
            return HTTPText.percentEncoded(bytes)
        }
    }

    enum HTTPText {
        /// Returns whether a text is a token (§5.6.2), as methods and field names are.
        static func isToken(_ text: some StringProtocol) -> Bool {
            !text.isEmpty
                && text.utf8.allSatisfy { byte in
                    switch byte {
                    case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, UInt8(ascii: "-"): true
                    default: tokenMarks.contains(byte)
                    }
                }
        }

        private static let tokenMarks = Array("!#$%&'*+.^_`|~".utf8)

        /// Returns whether a field value can be sent, because it has no CR, LF or NUL (§5.5).
        static func isFieldValue(_ text: some StringProtocol) -> Bool {
            text.utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
        }

        static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

        static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes
        where Bytes.SubSequence == Bytes {
            var bytes = bytes.drop(while: isBlank)
            while let last = bytes.last, isBlank(last) { bytes.removeLast() }
            return bytes
        }

        /// Decodes a field's bytes as UTF-8, or as ISO-8859-1 if they aren't UTF-8 (§5.5).
        static func decoded(_ bytes: some Collection<UInt8>) -> String {
            if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
            return String(bytes: bytes, encoding: .utf8)
                ?? String(decoding: bytes.map(UInt16.init), as: UTF16.self)
        }

        static func percentEncoded(_ bytes: some Sequence<UInt8>) -> String {
            bytes.reduce(into: "") { text, byte in
                text +=
                    byte < 0x80
                    ? String(Unicode.Scalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
            }
        }
    }
#endif
