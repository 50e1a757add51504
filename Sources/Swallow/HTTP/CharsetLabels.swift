import Foundation

extension TextDecoding {
    /// Returns the encoding of a charset label, mostly as in WHATWG Encoding §4.2, or `nil` if it is unknown.
    package static func encoding(named charset: String) -> String.Encoding? {
        var label = charset.lowercased()
        if label.utf8.count > 2, label.hasPrefix("'"), label.hasSuffix("'") {
            label = String(label.dropFirst().dropLast())
        }
        return encodings[label.filter { !"-_:.".contains($0) }]
    }

    private static let encodings: [String: String.Encoding] = {
        var encodings: [String: String.Encoding] = [:]
        for (encoding, labels) in labels {
            for label in labels.split(separator: " ") { encodings[String(label)] = encoding }
        }
        return encodings
    }()

    /// Encodings with their lowercase labels without `-_:.`, so `iso-8859-2` and `iso_8859-2` need only one entry.
    private static let labels: [(String.Encoding, String)] = [
        (.utf8, "utf8 unicode11utf8 unicode20utf8 xunicode20utf8"),
        (.utf16, "utf16 csunicode iso10646ucs2 ucs2 unicode unicodefeff"),
        (.utf16LittleEndian, "utf16le"),
        (.utf16BigEndian, "utf16be unicodefffe"),
        (.utf32, "utf32"), (.utf32LittleEndian, "utf32le"), (.utf32BigEndian, "utf32be"),
        (.windowsCP1250, "windows1250 cp1250 xcp1250"),
        (.windowsCP1251, "windows1251 cp1251 xcp1251"),
        (.windowsCP1252, "windows1252 cp1252 xcp1252 ansix341968 ascii usascii iso88591 iso885911987"),
        (.windowsCP1252, "isoir100 cp819 ibm819 csisolatin1 latin1 l1"),
        (.windowsCP1253, "windows1253 cp1253 xcp1253"),
        (.windowsCP1254, "windows1254 cp1254 xcp1254 iso88599 iso885991989 isoir148 csisolatin5 latin5 l5"),
        (foundation(0x505), "windows1255 cp1255 xcp1255"),
        (foundation(0x506), "windows1256 cp1256 xcp1256"),
        (foundation(0x507), "windows1257 cp1257 xcp1257"),
        (foundation(0x508), "windows1258 cp1258 xcp1258"),
        (foundation(0x41D), "windows874 dos874 iso885911 tis620"),
        (foundation(0x41B), "ibm866 cp866 csibm866 866"),
        (.isoLatin2, "iso88592 iso885921987 isoir101 csisolatin2 latin2 l2"),
        (foundation(0x203), "iso88593 iso885931988 isoir109 csisolatin3 latin3 l3"),
        (foundation(0x204), "iso88594 iso885941988 isoir110 csisolatin4 latin4 l4"),
        (foundation(0x205), "iso88595 iso885951988 isoir144 csisolatincyrillic cyrillic"),
        (foundation(0x206), "iso88596 iso88596e iso88596i iso885961987 isoir127 csiso88596e csiso88596i"),
        (foundation(0x206), "csisolatinarabic arabic asmo708 ecma114"),
        (foundation(0x207), "iso88597 iso885971987 isoir126 csisolatingreek greek greek8 ecma118"),
        (foundation(0x207), "elot928 suneugreek"),
        (foundation(0x208), "iso88598 iso88598e iso88598i iso885981988 isoir138 csiso88598e csiso88598i"),
        (foundation(0x208), "csisolatinhebrew hebrew visual logical"),
        (foundation(0x20A), "iso885910 isoir157 csisolatin6 latin6 l6"),
        (foundation(0x20D), "iso885913"),
        (foundation(0x20E), "iso885914"),
        (foundation(0x20F), "iso885915 csisolatin9 l9"),
        (foundation(0x210), "iso885916"),
        (foundation(0xA02), "koi8r cskoi8r koi koi8"),
        (foundation(0xA08), "koi8u koi8ru"),
        (foundation(0), "macintosh csmacintosh mac xmacroman"),
        (foundation(7), "xmaccyrillic xmacukrainian"),
        (foundation(0x632), "gb18030 gbk xgbk gb2312 gb231280 csgb2312 csiso58gb231280 chinese isoir58"),
        (foundation(0xA06), "big5 big5hkscs cnbig5 csbig5 xxbig5"),
        (.japaneseEUC, "eucjp xeucjp cseucpkdfmtjapanese"),
        (.iso2022JP, "iso2022jp csiso2022jp"),
        (.shiftJIS, "shiftjis xsjis sjis csshiftjis ms932 mskanji windows31j"),
        (foundation(0x422), "euckr cseuckr windows949 ksc5601 ksc56011987 ksc56011989 csksc56011987"),
        (foundation(0x422), "korean isoir149"),
    ]

    private static func foundation(_ number: UInt) -> String.Encoding {
        String.Encoding(rawValue: 0x8000_0000 | number)
    }
}
