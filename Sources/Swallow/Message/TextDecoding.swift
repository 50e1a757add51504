import Foundation

/// Decodes text by the charset that a response names.
package enum TextDecoding {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Decodes by the charset given; without one as UTF-8 and, where that fails, as ISO-8859-1.
    ///
    /// - Throws: where the charset is unknown, or the bytes are illegal in it.
    static func text(of data: Data, charset: String?) throws(Failure) -> String {
        guard let charset, !charset.isEmpty else {
            return utf8(data) ?? String(decoding: data.map(UInt16.init), as: UTF16.self)
        }
        let text: String?
        switch charset.lowercased() {
        case "utf-8", "utf8": text = utf8(data)
        case "euc-jp": text = japaneseEUC(data)
        case "macintosh": text = macintosh(data)
        case let name:
            guard let encoding = encodings[name] else {
                throw Failure(description: "the charset \"\(charset)\" is not known")
            }
            text = String(data: data, encoding: encoding)
        }
        guard let text else { throw Failure(description: "the bytes are not legal \(charset)") }
        return text
    }

    /// UTF-8 without the byte order mark that it may begin with (RFC 3629 §6).
    private static func utf8(_ data: Data) -> String? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return String(data: data.starts(with: mark) ? data.dropFirst(mark.count) : data, encoding: .utf8)
    }

    /// The encoding of a charset other than UTF-8; nil where it isn't known.
    package static func encoding(named charset: String) -> String.Encoding? {
        encodings[charset.lowercased()]
    }

    /// IANA character set names.
    private static let encodings: [String: String.Encoding] = [
        "us-ascii": .ascii, "ascii": .ascii,
        "utf-16": .utf16, "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
        "utf-32": .utf32, "utf-32le": .utf32LittleEndian, "utf-32be": .utf32BigEndian,
        "iso-8859-1": .isoLatin1, "latin1": .isoLatin1, "iso-8859-2": .isoLatin2, "latin2": .isoLatin2,
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254,
        "shift_jis": .shiftJIS, "iso-2022-jp": .iso2022JP,
    ]
}

// MARK: - Charsets that Foundation on Linux refuses, or takes for NeXTSTEP's

extension TextDecoding {
    /// EUC-JP by way of Shift_JIS, which has the same characters in another order (JIS X 0208), so the table is
    /// Foundation's. The rare kanji of JIS X 0212, three bytes each, are not in it and not legal here.
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
                // Two rows share a lead byte; the first skips 0x7F.
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

    private static func macintosh(_ data: Data) -> String {
        var text = String.UnicodeScalarView()
        for byte in data { text.append(byte < 0x80 ? Unicode.Scalar(byte) : macintoshHalf[Int(byte - 0x80)]) }
        return String(text)
    }

    /// From 0x80 on.
    private static let macintoshHalf = Array(
        ("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ"
            + "–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ").unicodeScalars)
}
