import Foundation
import Swallow

/// The cost of looking up each child of a container. If it is linear, 80,000 children cost about ten times as much as
/// 8,000. The ratio may be higher because the larger document doesn't fit the processor's caches.
let jsonGrowth = [
    growth("json[index] in a loop") { json, _ in (0..<json[0].count).reduce(0) { $0 + json[0][$1].count } },
    growth("json[name] in a loop") { json, names in names.reduce(0) { $0 + json[1][$1].count } },
    growth("[Int: T]") { json, _ in try json[1].decode([Int: [Int]].self).count },
    growth("allKeys, decode(forKey:)") { json, _ in try json[1].decode(Members.self).count },
    parsingBySize,
]

/// The parsing time per byte for documents of 1 KB to 100 MB. It is constant up to 1 MB. Larger documents don't fit the
/// processor's caches, and need memory blocks of more than 4 MiB, which the parser doesn't reuse.
private let parsingBySize = Benchmark("JSON: growth of parsing, per byte") {
    let record = #"{"id":123456,"name":"Squirrel Hill","tags":["café","open"],"at":[40.4381,-79.9229]}"#
    let sizes = [1, 10, 100, 1_000, 10_000, 100_000]
    let contenders = sizes.map { kilobytes in
        let count = max(1, kilobytes * 1_000 / record.utf8.count)
        let text = Data("[\(Array(repeating: record, count: count).joined(separator: ","))]".utf8)
        return Contender("\(kilobytes) KB, of which each costs") { blackHole(try JSON(parsing: text)) }
    }
    let measurement = Measurement(contenders)
    return contenders.indices.map { index in
        let (size, cost) = (Double(sizes[index]), measurement.cost(of: index))
        return Row(
            contenders[index].label,
            cost: Cost(cpu: cost.cpu / size, wall: cost.wall / size, noise: cost.noise),
            result: index == 0 ? nil : .ratio(measurement.ratio(of: index, to: 0) / size),
            goal: index == 0 ? nil : .result(2, safe: 5))
    }
}

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
