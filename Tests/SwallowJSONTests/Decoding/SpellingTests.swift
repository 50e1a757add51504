import Foundation
import DecodePipeline
import SwallowJSON
import Testing

@Suite("Decodings: the two spellings")
struct SpellingTests {
    @Test("Every kind of field is read", arguments: Spelling.allCases)
    func fields(_ spelling: Spelling) throws {
        #expect(try spelling.user.value(from: annJSON) == ann)
    }

    @Test("One type may have many decodings")
    func many() throws {
        let json: JSON = ["name": "Ann", "last_name": "Lee", "scores": [1, 2], "sports": ["judo"]]
        let user = try Decoding<User>.shouting.value(from: json)
        #expect(user.name == "ANN" && user.lastName == "LEE" && user.score == 3 && user.role == "fan")
        #expect(try Decoding<User>.terse.value(from: ["n": "x", "r": 1]).role == "none")
    }

    @Test("A value is read from JSON, data, text and a Foundation object alike", arguments: Spelling.allCases)
    func sources(_ spelling: Spelling) throws {
        let object: Any = try JSONSerialization.jsonObject(with: annJSON.data)
        #expect(try spelling.user.value(from: annJSON) == ann)
        #expect(try spelling.user.value(from: annJSON.data) == ann)
        #expect(try spelling.user.value(from: annJSON.description) == ann)
        #expect(try spelling.user.value(from: object) == ann)
        #expect(try spelling.user.value(from: annJSON as Any) == ann)
    }

    @Test("A string, number or null by itself is a Foundation object too")
    func fragments() throws {
        #expect(try Decoding.string.value(from: "text" as Any) == "text")
        #expect(try Decoding.int.value(from: 7 as Any) == 7)
        #expect(try Decoding.bool.value(from: NSNumber(value: true) as Any))
        #expect(try Decoding.nullable(.int).value(from: NSNull() as Any) == nil)
    }

    @Test(
        "An array of models is read the same by a function and through a pipe", arguments: Spelling.allCases)
    func arrays(_ spelling: Spelling) throws {
        let json: JSON = [annJSON, annJSON]
        #expect(try Decoding.array(spelling.user).value(from: json) == [ann, ann])
        #expect(try (spelling.user |> array).value(from: json) == [ann, ann])
        let names = spelling.user |> array |> map { $0.map(\.name) }
        #expect(try names.value(from: json) == ["Ann", "Ann"])
    }

    @Test("A model inside a model is read the same in both")
    func nested() throws {
        struct Home: Equatable { let owner: User, address: Address? }
        let packed = Decoding(Home.init, .required("owner", .packed), .optional("address", .address))
        let piped = decode(Home.init) |> required("owner", .piped) |> optional("address", .address)
        let json: JSON = ["owner": annJSON, "address": ["city": "Rome"]]
        let home = Home(owner: ann, address: Address(street: nil, city: "Rome"))
        #expect(try packed.value(from: json) == home)
        #expect(try piped.value(from: json) == home)
    }

    @Test("An initialiser that throws fails the object", arguments: Spelling.allCases)
    func throwingInitialiser(_ spelling: Spelling) {
        struct Odd: Error {}
        let make: @Sendable (Int) throws -> Int = { number in
            guard number.isMultiple(of: 2) else { throw Odd() }
            return number
        }
        let packed = Decoding(make, .required("n", .int))
        let piped: Decoding<Int> = decode(make) |> required("n", .int)
        let even = spelling == .packed ? packed : piped
        #expect(failure(of: .array(even), #"[{"n": 2}]"#) == nil)
        #expect(failure(of: .array(even), #"[{"n": 2}, {"n": 1}]"#) == "$[1]: Odd()")
    }

    @Test("A chain that lacks fields, or that decode didn't begin, fails with words and never traps")
    func unfinished() {
        let lacking = decode(Address.init) |> required("street", .nullable(.string))
        #expect(failure(of: lacking, "{}") == "$: expected a field for each parameter, found fewer")
        let foreign: Decoding<Int> = Decoding.string.map { ($0, 1) } |> required("name", .string)
        #expect(
            failure(of: foreign, "{}")
                == "$: expected a field for each parameter, found a decoding that doesn't begin with decode")
    }
}
