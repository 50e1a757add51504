import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

@Suite("The labels of the WHATWG Encoding Standard")
struct CharsetLabelTests {
    /// A text, its bytes, and the labels of the charsets in which these are the text's bytes.
    struct Sample: Sendable, CustomTestStringConvertible {
        let text: String
        let bytes: Data
        let labels: [Substring]
        var testDescription: String { labels.joined(separator: " ") }

        init(_ text: String, _ hexadecimal: String, _ labels: String) {
            let digits = Array(hexadecimal)
            self.text = text
            bytes = Data(
                stride(from: 0, to: digits.count, by: 2).compactMap {
                    UInt8(String(digits[$0..<($0 + 2)]), radix: 16)
                })
            self.labels = labels.split(separator: " ")
        }
    }

    /// All labels except the labels of the encodings `replacement` and `x-user-defined`.
    static let samples = [
        Sample(
            "é€", "c3a9e282ac",
            "unicode-1-1-utf-8 utf-8 utf8 unicode11utf8 unicode20utf8"
                + " x-unicode20utf8 utf_8"),
        Sample("Привет", "8fe0a8a2a5e2", "866 cp866 csibm866 ibm866"),
        Sample(
            "zażółć", "7a61bff3b3e6",
            "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592"
                + " iso_8859-2 iso_8859-2:1987 l2 latin2"),
        Sample(
            "ĉiuĵaŭde", "e66975bc61fd6465",
            "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593"
                + " iso_8859-3 iso_8859-3:1988 l3 latin3"),
        Sample(
            "ēģāŋ", "babbe0bf",
            "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594"
                + " iso_8859-4 iso_8859-4:1988 l4 latin4"),
        Sample(
            "Привет", "bfe0d8d2d5e2",
            "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5"
                + " iso88595 iso_8859-5 iso_8859-5:1988"),
        Sample(
            "سلام", "d3e4c7e5",
            "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic"
                + " ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127"
                + " iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"),
        Sample(
            "Γειά", "c3e5e9dc",
            "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7"
                + " iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987"
                + " sun_eu_greek"),
        Sample(
            "שלום", "f9ece5ed",
            "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e"
                + " iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988"
                + " visual"),
        Sample("שלום", "f9ece5ed", "csiso88598i iso-8859-8-i logical"),
        Sample(
            "þæŋ", "fee6bf",
            "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6"
                + " latin6"),
        Sample("Ąžuolas", "c0fe756f6c6173", "iso-8859-13 iso8859-13 iso885913"),
        Sample("ẁŷ", "b8fe", "iso-8859-14 iso8859-14 iso885914"),
        Sample("€œ", "a4bd", "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"),
        Sample("ș€", "baa4", "iso-8859-16"),
        Sample("Привет", "f0d2c9d7c5d4", "cskoi8r koi koi8 koi8-r koi8_r"),
        Sample("Їжак", "b7d6c1cb", "koi8-ru koi8-u"),
        Sample("café…", "6361668ec9", "csmacintosh mac macintosh x-mac-roman"),
        Sample("สวัสดี", "cac7d1cab4d5", "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"),
        Sample("žluť", "9e6c759d", "cp1250 windows-1250 x-cp1250"),
        Sample("Привет", "cff0e8e2e5f2", "cp1251 windows-1251 x-cp1251"),
        Sample(
            "“é€", "93e980",
            "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819"
                + " iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1"
                + " iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"),
        Sample("Γειά", "c3e5e9dc", "cp1253 windows-1253 x-cp1253"),
        Sample(
            "şğ€", "fef080",
            "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599"
                + " iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254"),
        Sample("שלום₪", "f9ece5eda4", "cp1255 windows-1255 x-cp1255"),
        Sample("سلام€", "d3e1c7e380", "cp1256 windows-1256 x-cp1256"),
        Sample("Ąžuolas", "c0fe756f6c6173", "cp1257 windows-1257 x-cp1257"),
        Sample("ơ₫", "f5fe", "cp1258 windows-1258 x-cp1258"),
        Sample("Привет", "8ff0e8e2e5f2", "x-mac-cyrillic x-mac-ukrainian"),
        Sample(
            "汉字𠀀", "babad7d695328236",
            "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80"
                + " gbk iso-ir-58 x-gbk"),
        Sample("汉字𠀀", "babad7d695328236", "gb18030"),
        Sample("漢字咗", "ba7ea6729df7", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
        Sample("日本", "c6fccbdc", "cseucpkdfmtjapanese euc-jp x-euc-jp"),
        Sample("日本", "1b2442467c4b5c1b2842", "csiso2022jp iso-2022-jp"),
        Sample(
            "日本①", "93fa967b8740",
            "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis"
                + " windows-31j x-sjis"),
        Sample(
            "한글똠", "c7d1b1db8c63",
            "cseuckr csksc56011987 euc-kr iso-ir-149 korean"
                + " ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"),
        Sample("é€", "00e920ac", "utf-16be unicodefffe"),
        Sample(
            "é€", "e900ac20",
            "utf-16 utf-16le csunicode iso-10646-ucs-2 ucs-2 unicode"
                + " unicodefeff"),
    ]

    @Test("All labels are known, and bytes in their charsets are decoded", arguments: samples)
    func labels(sample: Sample) throws {
        for label in sample.labels {
            #expect(
                try TextDecoding.text(of: sample.bytes, charset: String(label)) == sample.text, "\(label)")
            let loud = try TextDecoding.text(of: sample.bytes, charset: label.uppercased())
            #expect(loud == sample.text, "\(label)")
        }
    }

    @Test("The labels of ISO-8859-1 and US-ASCII mean windows-1252, in which every byte is valid")
    func windows1252() throws {
        let expected =
            "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ"
            + String(String.UnicodeScalarView((UInt8(0xA0)...0xFF).map { Unicode.Scalar($0) }))
        for label in ["iso-8859-1", "us-ascii", "windows-1252"] {
            let text = try TextDecoding.text(of: Data(0x80...0xFF), charset: label)
            #expect(Array(text.unicodeScalars) == Array(expected.unicodeScalars))
        }
    }

    @Test("A byte order mark overrides a UTF-16 label, and isn't part of the text")
    func byteOrderMarks() throws {
        let (little, big) = (Data([0xFF, 0xFE, 0x61, 0]), Data([0xFE, 0xFF, 0, 0x61]))
        for label in ["utf-16", "utf-16le", "utf-16be"] {
            #expect(try TextDecoding.text(of: little, charset: label) == "a")
            #expect(try TextDecoding.text(of: big, charset: label) == "a")
            #expect(throws: TextDecoding.Failure.self) {
                try TextDecoding.text(of: Data([0x61, 0, 0x62]), charset: label)
            }
        }
    }

    @Test(
        "An unsupported label fails with an error that names it",
        arguments: [
            "csiso2022kr", "hz-gb-2312", "iso-2022-cn", "iso-2022-cn-ext", "iso-2022-kr", "replacement",
            "x-user-defined", "klingon",
        ])
    func undecodable(label: String) async {
        let stub = StubDataSource()
        stub.stub(.GET, "/", .data(Data("a".utf8), contentType: "text/html; charset=\(label)"))
        let error = await WebService.test(stub).GET("/").result.failure
        #expect(error?.reason == .unparsable)
        #expect(error?.description.contains("\"\(label)\"") == true, "\(error?.description ?? "")")
    }
}
