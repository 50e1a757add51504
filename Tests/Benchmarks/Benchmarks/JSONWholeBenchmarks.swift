import Foundation
import Swallow

/// What the benchmarks' own documents take to be read whole, and to be written.
let jsonWhole = [
    Benchmark("JSON: every value") {
        try JSONCorpus.all.map { try everyValue($0.label, $0.data, peers: nil) }
    },
    Benchmark("JSON: written") { try JSONCorpus.all.map { try writing($0.label, $0.data) } },
]

/// Every value of a document, read as a Swift value: all names, strings, numbers and booleans. Parsing alone leaves them for
/// later, so this is what a parser that does and one that doesn't can be compared by.
func everyValue(_ label: String, _ data: Data, peers: JSONPeers?) throws -> [Contender] {
    let foundation = { @Sendable in
        Sum(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
    }
    let swallow = { @Sendable in Sum(try JSON(parsing: data)) }
    try check("every value of \(label)", swallow(), foundation())
    var contenders = [
        Contender("\(label): JSONSerialization, bridged") { blackHole(try foundation()) },
        Contender("\(label): JSON", goal: .atLeast(10, safe: 5)) { blackHole(try swallow()) },
    ]
    if let peer = peers?.everyValue(data) {
        contenders.append(Contender("\(label): simdjson's DOM, std::string") { peer() })
    }
    return contenders
}

/// A parsed document, written.
func writing(_ label: String, _ data: Data) throws -> [Contender] {
    let json = try JSON(parsing: data)
    // Foundation's objects are only read.
    nonisolated(unsafe) let object = try JSONSerialization.jsonObject(with: data)
    return [
        Contender("\(label): JSONSerialization.data(withJSONObject:)") {
            blackHole(try JSONSerialization.data(withJSONObject: object))
        },
        Contender("\(label): JSON.data", goal: .atLeast(40, safe: 15)) { blackHole(json.data) },
    ]
}

/// What was read: enough of each value that it has to be made.
private struct Sum: Equatable {
    private(set) var values = 0
    private(set) var utf8 = 0
    private(set) var numbers = 0.0

    init(_ json: JSON) {
        add(json)
    }

    init(_ object: Any) {
        add(object)
    }

    private mutating func add(_ json: JSON) {
        values += 1
        switch json.kind {
        case .object:
            for (name, value) in json.members {
                utf8 += name.utf8.count
                add(value)
            }
        case .array: for element in json.elements { add(element) }
        case .string: utf8 += json.string?.utf8.count ?? 0
        case .number: numbers += json.double ?? 0
        case .bool: numbers += json.bool == true ? 1 : 0
        case .null, .missing: break
        }
    }

    private mutating func add(_ object: Any) {
        values += 1
        switch object {
        case let object as [String: Any]:
            for (name, value) in object {
                utf8 += name.utf8.count
                add(value)
            }
        case let array as [Any]: for element in array { add(element) }
        case let string as String: utf8 += string.utf8.count
        case let number as NSNumber: numbers += number.doubleValue
        default: break
        }
    }

    /// Numbers are added in another order where members have another one.
    static func == (left: Sum, right: Sum) -> Bool {
        left.values == right.values && left.utf8 == right.utf8
            && abs(left.numbers - right.numbers) <= 1e-9 * max(1, abs(left.numbers))
    }
}
