import Foundation
import DecodePipeline
import Swallow

/// The cost of reading and writing JSON, compared with Foundation. Reading begins with the document's bytes.
let jsonBenchmarks = [
    Benchmark("JSON: parse") {
        JSONCorpus.all.map { corpus in
            [
                .serialization(corpus),
                Contender(
                    "\(corpus.label): JSON(parsing:)",
                    goal: .atLeast(corpus.name == JSONCorpus.answer.name ? 28 : 25, safe: 12)
                ) {
                    blackHole(try JSON(parsing: corpus.data))
                },
            ]
        }
    },
    Benchmark("JSON: Decodable into full models, parsing included") {
        try [
            decoding(Search.self, from: .posts, goal: 4), decoding(Catalogue.self, from: .catalogue, goal: 8),
            decoding(Features.self, from: .coordinates, goal: 4),
            decoding(Answer.self, from: .answer, goal: 6),
            decoding([Texts].self, from: .texts, goal: 6),
        ]
    },
    Benchmark("JSON: Encodable models written") {
        try [
            encoding(Search.self, from: .posts, goal: 4), encoding(Catalogue.self, from: .catalogue, goal: 4),
            encoding(Features.self, from: .coordinates, goal: 4),
            encoding(Answer.self, from: .answer, goal: 4),
            encoding([Texts].self, from: .texts, goal: 4),
        ]
    },
    Benchmark("JSON: Decoding, parsing included") { [try combinators(.stores)] },
    Benchmark("JSON: six fields of each of 100 records, parsing included") { [try sixFields(.records)] },
    Benchmark("JSON: foundationObject, parsing included") {
        try JSONCorpus.all.map { corpus in
            try check(
                "foundationObject of \(corpus.name)",
                JSON(parsing: corpus.data).foundationObject as? NSObject,
                JSONSerialization.jsonObject(with: corpus.data) as? NSObject)
            return [
                .serialization(corpus),
                Contender("\(corpus.label): foundationObject", goal: .atLeast(2.5)) {
                    blackHole(try JSON(parsing: corpus.data).foundationObject)
                },
            ]
        }
    },
]

extension Contender {
    fileprivate static func serialization(_ corpus: JSONCorpus) -> Contender {
        Contender("\(corpus.label): JSONSerialization") {
            blackHole(try JSONSerialization.jsonObject(with: corpus.data))
        }
    }
}

private func decoding<Model: Decodable & Equatable & SendableMetatype>(
    _ model: Model.Type, from corpus: JSONCorpus, goal: Double
) throws -> [Contender] {
    let foundation = { @Sendable in try JSONDecoder().decode(Model.self, from: corpus.data) }
    let swallow = { @Sendable in try JSON(parsing: corpus.data).decode(Model.self) }
    try check("decoding \(corpus.name)", swallow(), foundation())
    return [
        Contender("\(corpus.label): JSONDecoder") { blackHole(try foundation()) },
        Contender("\(corpus.label): JSON(parsing:).decode", goal: .atLeast(goal, safe: goal / 2)) {
            blackHole(try swallow())
        },
    ]
}

private func encoding<Model: Codable & Sendable>(
    _ model: Model.Type, from corpus: JSONCorpus, goal: Double
) throws -> [Contender] {
    let value = try JSON(parsing: corpus.data).decode(Model.self)
    let foundation = { @Sendable in try JSONEncoder().encode(value) }
    let swallow = { @Sendable in try Encoding<Model>.codable.data(of: value) }
    try check("encoding \(corpus.name)", JSON(parsing: swallow()), JSON(parsing: foundation()))
    return [
        Contender("\(corpus.label): JSONEncoder") { blackHole(try foundation()) },
        Contender("\(corpus.label): Encoding.codable", goal: .atLeast(goal, safe: goal / 1.6)) {
            blackHole(try swallow())
        },
    ]
}

// MARK: - Decodings

extension Decoding where Value == Store {
    fileprivate static var listed: Self {
        Decoding(
            Store.init,
            .required("id", .int),
            .required("name", .string),
            .required("city", .string),
            .required("latitude", .double),
            .required("longitude", .double),
            .required("isOpen", .bool),
            .optional("phone", .string),
            .required("tags", .array(.string)))
    }

    fileprivate static var piped: Self {
        decode(Store.init)
            |> required("id", .int)
            |> required("name", .string)
            |> required("city", .string)
            |> required("latitude", .double)
            |> required("longitude", .double)
            |> required("isOpen", .bool)
            |> optional("phone", .string)
            |> required("tags", .array(.string))
    }
}

private func combinators(_ corpus: JSONCorpus) throws -> [Contender] {
    let foundation = { @Sendable in try JSONDecoder().decode([Store].self, from: corpus.data) }
    let listed = Decoding.array(Decoding<Store>.listed)
    let piped = Decoding<Store>.piped |> array
    try check("Decoding(Store.init, …)", listed.value(from: corpus.data), foundation())
    try check("decode(Store.init) |> …", piped.value(from: corpus.data), foundation())
    return [
        Contender("\(corpus.label): JSONDecoder") { blackHole(try foundation()) },
        Contender("Decoding(Store.init, .required(…), …)", goal: .atLeast(8)) {
            blackHole(try listed.value(from: corpus.data))
        },
        Contender("decode(Store.init) |> required(…) |> …", goal: .atLeast(5)) {
            blackHole(try piped.value(from: corpus.data))
        },
    ]
}

// MARK: - Fields

private func sixFields(_ corpus: JSONCorpus) throws -> [Contender] {
    try check("six fields", sumOfFields(corpus.data), sumOfFieldsCast(corpus.data))
    return [
        Contender("\(corpus.label): JSONSerialization, casts") {
            blackHole(try sumOfFieldsCast(corpus.data))
        },
        Contender("JSON(parsing:), look-ups", goal: .atLeast(28)) { blackHole(try sumOfFields(corpus.data)) },
    ]
}

private func sumOfFields(_ data: Data) throws -> Int {
    var sum = 0
    for record in try JSON(parsing: data).elements {
        sum += record["id"].int ?? 0
        sum += record["last"].string?.utf8.count ?? 0
        sum += record["email"].string?.utf8.count ?? 0
        sum += record["age"].int ?? 0
        sum += Int(record["score"].double ?? 0)
        sum += record["active"].bool == true ? 1 : 0
    }
    return sum
}

private func sumOfFieldsCast(_ data: Data) throws -> Int {
    var sum = 0
    let records = try JSONSerialization.jsonObject(with: data) as? [[String: Any]]
    for record in records ?? [] {
        sum += record["id"] as? Int ?? 0
        sum += (record["last"] as? String)?.utf8.count ?? 0
        sum += (record["email"] as? String)?.utf8.count ?? 0
        sum += record["age"] as? Int ?? 0
        sum += Int(record["score"] as? Double ?? 0)
        sum += record["active"] as? Bool == true ? 1 : 0
    }
    return sum
}

// MARK: - Results

/// Fails if Swallow and Foundation have different results.
func check<Result: Equatable>(_ what: String, _ result: Result, _ expected: Result) throws {
    if result != expected { fail("\(what) differs from Foundation's result") }
}

/// Uses a value, so that the optimizer can't remove the code that computes it.
@inline(never)
func blackHole<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
