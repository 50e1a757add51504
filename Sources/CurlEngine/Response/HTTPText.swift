#if os(Linux) && canImport(Glibc)
    import Foundation

    /// Functions for the text of HTTP messages (RFC 9110).
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

        /// Returns whether a byte is optional white space (§5.6.3).
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
