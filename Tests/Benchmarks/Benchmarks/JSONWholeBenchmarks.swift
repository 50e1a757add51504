import Foundation
import Swallow

/// The cost of reading all values of each document, and of writing it.
let jsonWhole = [
    Benchmark("JSON: every value") {
        try JSONCorpus.all.map { try everyValue($0.label, $0.data, peers: nil) }
    },
    Benchmark("JSON: written") { try JSONCorpus.all.map { try writing($0.label, $0.data) } },
]

/// Returns contenders that read every name, string, number and Boolean of a document. `JSON(parsing:)` creates these
/// values only when they are read, so its parsing time alone isn't comparable.
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

func writing(_ label: String, _ data: Data) throws -> [Contender] {
    let json = try JSON(parsing: data)
    // The contenders only read the object.
    nonisolated(unsafe) let object = try JSONSerialization.jsonObject(with: data)
    return [
        Contender("\(label): JSONSerialization.data(withJSONObject:)") {
            blackHole(try JSONSerialization.data(withJSONObject: object))
        },
        Contender("\(label): JSON.data", goal: .atLeast(40, safe: 15)) { blackHole(json.data) },
    ]
}

/// Totals of all values. They force a reader to create each value.
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

    /// Compares numbers with a tolerance, because the order of the members affects rounding.
    static func == (left: Sum, right: Sum) -> Bool {
        left.values == right.values && left.utf8 == right.utf8
            && abs(left.numbers - right.numbers) <= 1e-9 * max(1, abs(left.numbers))
    }
}
