import Foundation
import Swallow

/// What it takes to look up every part of a container, for 8 000 parts and for ten times as many: ten times the time,
/// or a little more for the memory that no longer fits the caches.
let jsonGrowth = [
    growth("json[index] in a loop") { json, _ in (0..<json[0].count).reduce(0) { $0 + json[0][$1].count } },
    growth("json[name] in a loop") { json, names in names.reduce(0) { $0 + json[1][$1].count } },
    growth("[Int: T]") { json, _ in try json[1].decode([Int: [Int]].self).count },
    growth("allKeys, decode(forKey:)") { json, _ in try json[1].decode(Members.self).count },
]

private func growth(
    _ name: String, _ body: @escaping @Sendable (_ json: JSON, _ names: [String]) throws -> Int
) -> Benchmark {
    Benchmark("JSON: growth of \(name)") {
        try [8_000, 80_000].map { count in
            let names = (0..<count).map(String.init)
            let elements = names.map { "[\($0)]" }.joined(separator: ",")
            let members = names.map { "\"\($0)\":[\($0)]" }.joined(separator: ",")
            let text = Data("[[\(elements)],{\(members)}]".utf8)
            let expected = try body(JSON(parsing: text), names)
            if expected != count { fail("\(name) finds \(expected) of \(count) parts") }
            return Contender(
                "\(count) parts, parsing included", goal: count > 8_000 ? .result(15, safe: 30) : nil
            ) {
                blackHole(try body(JSON(parsing: text), names))
            }
        }
    }
}

private struct Members: Decodable {
    var count = 0

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        for name in container.allKeys { count += try container.decode([Int].self, forKey: name).count }
    }
}
