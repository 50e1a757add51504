import Foundation
import Testing

@testable import SwallowJSON

@Suite("JSON: names that aren't ASCII")
struct JSONNameTests {
    /// Where members are found, and the work that took.
    private func search(_ text: String, for names: [String]) throws -> (values: [Int?], work: Int) {
        let json = try JSON(parsing: text)
        let reading = JSONReading(json.owner, root: json.position, JSON.DecodingOptions())
        let members = JSONMembers(JSONValueDecoder(reading: reading, position: json.position, depth: 0))
        let values = names.map { name in
            let found = members.search.pointee.position(of: name)
            let position = found >= 0 ? found : members.position(of: name, after: found)
            return position < 0 ? nil : JSON(json.owner, at: position).int
        }
        return (values, members.search.pointee.work)
    }

    enum Script: String, CaseIterable {
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
        // A table is paid for by as much as 40 a name, and a last search may compare each name twice as strings.
        let limit = 255 * 400
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

    @Test("A scalar that stands alone is its own normal form, and joins no other one")
    func standingAlone() {
        var joining: Set<UInt32> = []
        for value in UInt32(0)..<0x30000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            let parts = text.decomposedStringWithCanonicalMapping.unicodeScalars
            joining.formUnion(parts.dropFirst().map(\.value))
            guard JSONEquivalence.standsAlone(value) else { continue }
            let composed = text.precomposedStringWithCanonicalMapping
            if !composed.unicodeScalars.elementsEqual([scalar])
                || scalar.properties.canonicalCombiningClass != .notReordered
            {
                Issue.record("U+\(String(value, radix: 16)) doesn't stand alone")
            }
        }
        #expect(joining.filter(JSONEquivalence.standsAlone) == [])
    }
}
