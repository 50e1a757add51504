import Foundation
import Swallow

/// The cost of decoding 255 members in reverse order. No name directly follows the name that was read before it.
let jsonNames = Benchmark("JSON: 255 names that aren't ASCII, in the reverse order, parsing included") {
    try [
        ("Japanese", "とても長い名前の項目", false), ("Russian, escaped", "поле_и_ещё_одно", true),
        ("Thai", "ชื่อที่ยาวมาก", false),
    ]
    .map { language, name, isEscaped in
        let names = (0..<255).map { "\(name)\($0)\(name)" }
        let members = names.enumerated().map { "\"\(isEscaped ? escaped($1) : $1)\":\($0)" }
        let text = Data("{\(members.joined(separator: ","))}".utf8)
        let keys = names.reversed().map(Name.init(stringValue:))
        let foundation = { @Sendable in
            let decoder = JSONDecoder()
            decoder.userInfo[Sum.keys] = keys
            return try decoder.decode(Sum.self, from: text).value
        }
        let swallow = { @Sendable in
            var options = JSON.DecodingOptions()
            options.userInfo[Sum.keys] = keys
            return try JSON(parsing: text).decode(Sum.self, options: options).value
        }
        if try foundation() != swallow() { fail("the names in \(language) were decoded incorrectly") }
        return [
            Contender("\(language): JSONDecoder") { blackHole(try foundation()) },
            Contender("JSON(parsing:).decode", goal: .atLeast(1, safe: 0.7)) { blackHole(try swallow()) },
        ]
    }
}

private func escaped(_ text: String) -> String {
    text.utf16.map { $0 < 0x80 ? String(UnicodeScalar(UInt8($0))) : String(format: "\\u%04x", $0) }.joined()
}

private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

private struct Sum: Decodable {
    static let keys = CodingUserInfoKey(rawValue: "keys")!
    var value = 0

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        for key in decoder.userInfo[Self.keys] as? [Name] ?? [] {
            value += try container.decode(Int.self, forKey: key)
        }
    }
}
