import Foundation
import SwallowJSON
import Testing

/// Containers of 80 000 parts: walking from the start for each would take minutes here.
@Suite("JSON: large containers")
struct JSONLargeTests {
    private static let count = 80_000
    private static let array = try? JSON(
        parsing: "[" + (0..<count).map { #"{"n":\#($0)}"# }.joined(separator: ",") + "]")
    private static let object = try? JSON(
        parsing: "{" + (0..<count).map { #""\#($0)":[\#($0)]"# }.joined(separator: ",") + #","7":[0]}"#)

    @Test("Each element is found by its position in a time that doesn't grow with it")
    func positions() throws {
        let json = try #require(Self.array)
        #expect((0..<json.count).allSatisfy { json[$0]["n"].int == $0 })
        #expect(!json[json.count].exists && !json[-1].exists)
    }

    @Test("Each member is found by its name, in any order, and of a repeated name the first")
    func names() throws {
        let json = try #require(Self.object)
        #expect((0..<Self.count).reversed().allSatisfy { json["\($0)"][0].int == $0 })
        #expect(!json["80000"].exists)
    }

    @Test(
        "A large object's names are equal where Swift's strings are",
        arguments: ["", #""\u00e9":1,"#, #""é":1,"#])
    func equivalence(_ other: String) throws {
        let names = (0..<300).map { #""\#($0)":\#($0)"# }.joined(separator: ",")
        let json = try JSON(parsing: "{\(other)\"K\":2,\(names),\"K\":3,\"\":4}")
        for _ in 0..<12 {
            #expect(json["K"].int == 2 && json["299"].int == 299 && json[""].int == 4)
            #expect(!json["300"].exists && !json["29" + "9\u{0}"].exists && !json["ü"].exists)
        }
        for _ in 0..<2 {
            #expect(json["\u{212A}"].int == 2 && json["e\u{301}"].int == (other.isEmpty ? nil : 1))
            #expect(json["K"].int == 2 && json["0"].int == 0)
        }
    }

    @Test("[Int: T] and allKeys with decode(forKey:) read each member once, in any order")
    func decoding() throws {
        let json = try #require(Self.object)
        let members = try json.decode([Int: [Int]].self)
        #expect(members.count == Self.count && members.allSatisfy { $0.value == [$0.key] })
        let shuffled = try json.decode(Shuffled.self)
        #expect(shuffled.sum == Self.count * (Self.count - 1) / 2)
    }

    @Test("Threads that look into one large document find the same")
    func threads() async throws {
        let json = try JSON(parsing: #require(Self.array).data)
        let sums = await withTaskGroup(of: Int.self) { group in
            for offset in 0..<4 {
                group.addTask {
                    stride(from: offset, to: json.count, by: 16).reduce(0) { $0 + (json[$1]["n"].int ?? 0) }
                }
            }
            return await group.reduce(0, +)
        }
        let expected = (0..<4).flatMap { stride(from: $0, to: Self.count, by: 16) }.reduce(0, +)
        #expect(sums == expected)
    }

    /// Asks for names from last to first, for some that aren't there, and for some twice.
    private struct Shuffled: Decodable {
        var sum = 0

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: MemberName.self)
            for name in container.allKeys.reversed() {
                guard !container.contains(MemberName(stringValue: "-" + name.stringValue)) else { continue }
                sum += try container.decode([Int].self, forKey: name)[0]
            }
        }
    }
}
