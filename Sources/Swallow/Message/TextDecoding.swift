import Foundation

/// Bytes to text by the charset that a response names.
enum TextDecoding {
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
        guard let encoding = encodings[charset.lowercased()] else {
            throw Failure(description: "the charset \"\(charset)\" is not known")
        }
        guard let text = encoding == .utf8 ? utf8(data) : String(data: data, encoding: encoding) else {
            throw Failure(description: "the bytes are not legal \(charset)")
        }
        return text
    }

    /// UTF-8 without the byte order mark that it may begin with (RFC 3629 §6).
    private static func utf8(_ data: Data) -> String? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return String(data: data.starts(with: mark) ? data.dropFirst(mark.count) : data, encoding: .utf8)
    }

    /// IANA character set names.
    private static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "us-ascii": .ascii, "ascii": .ascii,
        "utf-16": .utf16, "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
        "utf-32": .utf32, "utf-32le": .utf32LittleEndian, "utf-32be": .utf32BigEndian,
        "iso-8859-1": .isoLatin1, "latin1": .isoLatin1, "iso-8859-2": .isoLatin2, "latin2": .isoLatin2,
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254,
        "shift_jis": .shiftJIS, "euc-jp": .japaneseEUC, "iso-2022-jp": .iso2022JP, "macintosh": .macOSRoman,
    ]
}
