import Foundation
import Testing

@testable import SwallowJSON

@Suite("JSON: finding members by name")
struct JSONNameTests {
    /// Returns the members found and the number of names compared without a match.
    private func search(_ text: String, for names: [String]) throws -> (values: [Int?], work: Int) {
        let json = try JSON(parsing: text)
        let session = JSONDecodingSession(json.owner, root: json.position, JSON.DecodingOptions())
        let members = JSONMemberLookup(JSONValueDecoder(session: session, position: json.position, depth: 0))
        let values = names.map { name in
            let found = members.search.pointee.position(of: name)
            let isKnown = found != JSONMemberSearch.unknown
            let position = isKnown ? found : members.positionInTable(of: name)
            return position < 0 ? nil : JSON(json.owner, at: position).int
        }
        return (values, members.search.pointee.work)
    }

    enum Script: String, CaseIterable {
        case english = "name_of_a_member"
        case latin = "größe"
        case cyrillic = "поле_и_ещё_одно"
        case japanese = "とても長い名前の項目"
        case korean = "아주긴이름"
        case thai = "ชื่อที่ยาวมาก"
        case decomposed = "e\u{301}te\u{301}"
        case hindi = "बहुत_लंबा_नाम"
    }

    private func names(_ script: Script) -> [String] {
        (0..<255).map { "\(script.rawValue)\($0)\(script.rawValue)" }
    }

    @Test(
        "An object's names are found in any order, with work that grows with their number, not with its square",
        arguments: Script.allCases, [false, true])
    func work(script: Script, isEscaped: Bool) throws {
        let names = names(script)
        let members = names.enumerated().map { index, name in
            let escaped = name.utf16.map { $0 < 0x80 ? String(UnicodeScalar(UInt8($0))) : "\\u\(hex($0))" }
            return "\"\(isEscaped ? escaped.joined() : name)\":\(index)"
        }
        let text = "{\(members.joined(separator: ","))}"
        // At most 160 comparisons for each name before a table is made, and a last search.
        let limit = 255 * 163
        let orders: [[Int]] = [
            Array(0..<255), (0..<255).reversed(), (0..<255).map { $0 * 101 % 255 },
            Array(repeating: 7, count: 255),
        ]
        for order in orders {
            let found = try search(text, for: order.map { names[$0] })
            #expect(found.values == order)
            #expect(found.work < limit)
        }
        let absent = try search(text, for: names.map { $0 + script.rawValue })
        #expect(absent.values.allSatisfy { $0 == nil } && absent.work < limit)
    }

    private func hex(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    @Test("Two names are one where Swift's strings are equal, and only there")
    func equality() throws {
        let scalars =
            "eéEK\u{212A}k\u{301}\u{323}\u{41A}\u{439}\u{438}\u{306}かが\u{3099}가각\u{1100}\u{1161}\u{11A8}ก\u{E48}\u{37E};😀"
            .unicodeScalars.map { String($0) }
        let names = scalars + scalars.flatMap { first in scalars.map { first + $0 } }
        for name in names {
            let json = try JSON(parsing: "{\"\(name)\":1}")
            let found = names.filter { json[$0].exists }
            #expect(found == names.filter { $0 == name })
        }
    }

    private struct Values: Decodable {
        var composed: Int?
        var decomposed: Int?

        enum CodingKeys: String, CodingKey {
            case composed = "caf\u{E9}"
            case decomposed = "cafe\u{301}"
        }
    }

    @Test(
        "A member with the same scalars precedes one that is only equivalent",
        arguments: ["caf\u{E9}", "caf\\u00e9"], ["cafe\u{301}", "cafe\\u0301"])
    func exactNames(_ composed: String, _ decomposed: String) throws {
        for (others, isSwapped) in [
            (0, false), (10, false), (300, false), (0, true), (10, true), (300, true),
        ] {
            let (first, second) = isSwapped ? (decomposed, composed) : (composed, decomposed)
            let members = (0..<others).map { "\"\($0)\":0," }.joined()
            let json = try JSON(parsing: "[{\"\(first)\":1,\(members)\"\(second)\":2,\"\(first)\":3}]")
            let expected = isSwapped ? [2, 1] : [1, 2]
            for _ in 0..<20 {
                #expect([json[0]["caf\u{E9}"].int, json[0]["cafe\u{301}"].int] == expected)
            }
            let values = try json.decode([Values].self)
            #expect([values[0].composed, values[0].decomposed] == expected)
        }
    }
}
