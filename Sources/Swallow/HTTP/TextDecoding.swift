import Foundation

package enum TextDecoding {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Decodes text with a charset. Without one, reads UTF-8, or windows-1252 if the bytes aren't UTF-8.
    static func text(of data: Data, charset: String?) throws(Failure) -> String {
        guard let charset, !charset.isEmpty else { return utf8(data) ?? windows1252(data) }
        guard let encoding = encoding(named: charset) else {
            throw Failure(description: "the charset \"\(charset)\" isn't supported")
        }
        let text =
            switch encoding {
            case .utf8: utf8(data)
            case .utf16, .utf16LittleEndian: utf16(data, .utf16LittleEndian)
            case .utf16BigEndian: utf16(data, .utf16BigEndian)
            case .windowsCP1252: windows1252(data)
            case .japaneseEUC: japaneseEUC(data)
            default: String(data: data, encoding: encoding)
            }
        guard let text else { throw Failure(description: "the bytes can't be decoded as \"\(charset)\"") }
        return text
    }

    private static func utf8(_ data: Data) -> String? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return String(data: data.starts(with: mark) ? data.dropFirst(mark.count) : data, encoding: .utf8)
    }

    /// Decodes UTF-16. A byte order mark takes precedence over the charset's byte order (WHATWG Encoding §6).
    private static func utf16(_ data: Data, _ labelled: String.Encoding) -> String? {
        guard data.count % 2 == 0 else { return nil }
        switch data.prefix(2) {
        case Data([0xFF, 0xFE]): return String(data: data.dropFirst(2), encoding: .utf16LittleEndian)
        case Data([0xFE, 0xFF]): return String(data: data.dropFirst(2), encoding: .utf16BigEndian)
        default: return String(data: data, encoding: labelled)
        }
    }

    private static func windows1252(_ data: Data) -> String {
        let units = data.map { byte in
            (0x80..<0xA0).contains(byte) ? windows1252Units[Int(byte - 0x80)] : UInt16(byte)
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static let windows1252Units = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".utf16)

    /// Decodes EUC-JP by converting it to Shift_JIS, which Foundation on Linux can decode.
    private static func japaneseEUC(_ data: Data) -> String? {
        var shifted: [UInt8] = []
        shifted.reserveCapacity(data.count)
        var bytes = data.makeIterator()
        while let lead = bytes.next() {
            switch lead {
            case ..<0x80: shifted.append(lead)
            case 0x8E:
                guard let kana = bytes.next(), (0xA1...0xDF).contains(kana) else { return nil }
                shifted.append(kana)
            case 0xA1...0xFE:
                guard let trail = bytes.next(), (0xA1...0xFE).contains(trail) else { return nil }
                let (row, cell) = (lead - 0xA1, trail - 0xA1)
                shifted.append((row < 62 ? 0x81 : 0xC1) + row / 2)
                // Two rows share a lead byte. The first row skips 0x7F.
                if row % 2 == 1 {
                    shifted.append(0x9F + cell)
                } else {
                    shifted.append((cell < 63 ? 0x40 : 0x41) + cell)
                }
            default: return nil
            }
        }
        return String(data: Data(shifted), encoding: .shiftJIS)
    }
}
