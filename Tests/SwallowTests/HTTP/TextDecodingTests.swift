import Foundation
@testable import Swallow
import Testing

@Suite("Bytes to text")
struct TextDecodingTests {
    @Test(
        "EUC-JP is decoded in all its widths",
        arguments: [
            ([0x41, 0x5C, 0x7E], "A\\~"), ([0xC6, 0xFC, 0xCB, 0xDC, 0xB8, 0xEC], "日本語"),
            ([0xA4, 0xD2, 0xA4, 0xE9, 0x21, 0x8E, 0xB1], "ひら!ｱ"), ([0xA1, 0xA1], "\u{3000}"),
            ([0xF4, 0xA6], "熙"), ([], ""),
        ] as [([UInt8], String)])
    func japaneseEUC(bytes: [UInt8], text: String) throws {
        #expect(try TextDecoding.text(of: Data(bytes), charset: "EUC-JP") == text)
    }

    @Test("EUC-JP agrees with ISO-2022-JP, which Foundation knows, for every character of the first 84 rows")
    func everyJapaneseCharacter() throws {
        var count = 0
        for row in UInt8(0x21)...0x74 {
            for cell in UInt8(0x21)...0x7E {
                let escaped = Data([0x1B, 0x24, 0x42, row, cell, 0x1B, 0x28, 0x42])
                guard let known = try? TextDecoding.text(of: escaped, charset: "iso-2022-jp"),
                    known.unicodeScalars.count == 1, known != "\u{FFFD}"
                else { continue }
                let text = try? TextDecoding.text(of: Data([row | 0x80, cell | 0x80]), charset: "euc-jp")
                // Six symbols have two code points each, and every decoder takes its own.
                let isVariant = text.map("～∥－￠￡￢〜‖−¢£¬".contains) ?? false
                #expect(text == known || isVariant)
                count += 1
            }
        }
        #expect(count > 6800)
    }

    @Test(
        "Illegal EUC-JP is an error",
        arguments: [[0xA4], [0xA4, 0x41], [0x80], [0xFF, 0xA1], [0x8E, 0xE0], [0x8E], [0x8F, 0xB0, 0xA1]]
            as [[UInt8]])
    func illegalEUC(bytes: [UInt8]) {
        #expect(throws: TextDecoding.Failure.self) {
            try TextDecoding.text(of: Data(bytes), charset: "euc-jp")
        }
    }

    @Test("macintosh is Apple's, not NeXTSTEP's")
    func macintosh() throws {
        let bytes = Data([0x63, 0x61, 0x66, 0x8E, 0x20, 0xD2, 0x80, 0xD3, 0xDB, 0xFF, 0xCA, 0xF0])
        let text = try TextDecoding.text(of: bytes, charset: "macintosh")
        #expect(text == "café “Ä”€ˇ\u{A0}\u{F8FF}")
        let all = try TextDecoding.text(of: Data(0...255), charset: "macintosh")
        #expect(all.unicodeScalars.count == 256 && Set(all.unicodeScalars).count == 256)
    }

    @Test("Only without a charset do bytes that aren't UTF-8 become windows-1252, which includes ISO-8859-1")
    func fallback() throws {
        #expect(try TextDecoding.text(of: Data([0xE9]), charset: nil) == "é")
        #expect(try TextDecoding.text(of: Data([0xE9]), charset: "") == "é")
        #expect(try TextDecoding.text(of: Data([0x80, 0x81]), charset: nil) == "€\u{81}")
        for charset in ["utf-8", "koi8-x", "shift_jis"] {
            #expect(throws: TextDecoding.Failure.self) {
                try TextDecoding.text(of: Data([0xE9, 0xFF]), charset: charset)
            }
        }
    }
}
