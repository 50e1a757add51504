import DecodePipeline
import Foundation
import SwallowJSON
import Testing

/// The model and the chain of the SwiftDecodePipeline library, copied without changes.
private struct SeedUser: Sendable, Equatable {
    let name: String
    let lastName: String
    let image: String?
    let score: Int
}

private let decodeUser =
    decode(SeedUser.init) |> required("name", string) |> required("last_name", string)
    |> optional("image", string)
    |> optional("score", int, 0)

private struct Basket: Sendable, Equatable {
    let tags: [String]
    let prices: [String: Double]
    let numbers: Set<Int>
    let isOpen: Bool
    let weight: Double
}

@Suite("DecodePipeline")
struct DecodePipelineTests {
    private let ann: JSON = ["name": "Ann", "last_name": "Lee"]
    private let user = SeedUser(name: "Ann", lastName: "Lee", image: nil, score: 0)

    @Test("A chain written for SwiftDecodePipeline compiles unchanged and decodes")
    func seed() throws {
        #expect(try decodeUser.value(from: ann) == user)
        let failure = #expect(throws: DecodingFailure.self) {
            try decodeUser(["name": "Ann", "last_name": 1])
        }
        #expect(failure?.description == "$.last_name: expected string, found number")
    }

    @Test("A decoding can be called with JSON, data and text")
    func calling() throws {
        #expect(try decodeUser(ann) == user)
        #expect(try decodeUser(ann.data) == user)
        #expect(try decodeUser(ann.description) == user)
        #expect(try decodeJSON(ann.data, with: decodeUser) == user)
        #expect(try decodeJSON("[\(ann)]", with: decodeUser |> array) == [user])
        #expect(throws: DecodingFailure.self) { try decodeJSON(Data("[".utf8), with: decodeUser) }
    }

    @Test("string, int, double and bool are global names")
    func values() throws {
        #expect(try string(#""a""#) == "a")
        #expect(try int("1") == 1)
        #expect(try double("0.5") == 0.5)
        #expect(try bool("true"))
        #expect(try (string |> map { $0.count } |> array)(#"["a", "bc"]"#) == [1, 2])
    }

    @Test("hardcoded([]) and hardcoded([:]) infer their type from the parameter")
    func emptyLiterals() throws {
        let empty =
            decode(Basket.init) |> hardcoded([]) |> hardcoded([:]) |> hardcoded([]) |> hardcoded(true)
            |> required("weight", double)
        let basket = Basket(tags: [], prices: [:], numbers: [], isOpen: true, weight: 2)
        #expect(try empty(#"{"weight": 2}"#) == basket)
        let full =
            decode(Basket.init) |> hardcoded(["a"]) |> hardcoded(["b": 1]) |> hardcoded(basket.numbers)
            |> required("isOpen", bool) |> hardcoded(1.5)
        #expect(try full(#"{"isOpen": false}"#).tags == ["a"])
    }
}
