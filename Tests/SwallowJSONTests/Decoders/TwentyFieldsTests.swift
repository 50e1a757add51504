import DecodePipeline
import SwallowJSON
import Testing

/// A model with twenty fields, because a chain of that length must still compile and decode.
struct Twenty: Sendable, Equatable {
    let f0: String
    let f1: Int
    let f2: Double
    let f3: Bool
    let f4: String?
    let f5: [String]
    let f6: Int?
    let f7: Int
    let f8: String
    let f9: [Int]
    let f10: String
    let f11: Int
    let f12: Double
    let f13: Bool
    let f14: String?
    let f15: [String]
    let f16: Int?
    let f17: Int
    let f18: String
    let f19: [Int]
}

extension Decoding where Value == Twenty {
    static var packed: Self {
        Decoding(
            Twenty.init,
            .required("f0", .string),
            .optional("f1", .int, default: 0),
            .required("f2", .double),
            .hardcoded(true),
            .optional("f4", .string),
            .required("f5", .array(.string)),
            .optional("f6", .int),
            .optional("f7", .int, default: 0),
            .required("f8", .string),
            .required(at: ["in", "f9"], .array(.int)),
            .required("f10", .string),
            .optional("f11", .int, default: 0),
            .required("f12", .double),
            .hardcoded(true),
            .optional("f14", .string),
            .required("f15", .array(.string)),
            .optional("f16", .int),
            .optional("f17", .int, default: 0),
            .required("f18", .string),
            .required(at: ["in", "f19"], .array(.int)))
    }

    static var piped: Self {
        decode(Twenty.init)
            |> required("f0", .string)
            |> optional("f1", .int, default: 0)
            |> required("f2", .double)
            |> hardcoded(true)
            |> optional("f4", .string)
            |> required("f5", .array(.string))
            |> optional("f6", .int)
            |> optional("f7", .int, default: 0)
            |> required("f8", .string)
            |> required(at: ["in", "f9"], .array(.int))
            |> required("f10", .string)
            |> optional("f11", .int, default: 0)
            |> required("f12", .double)
            |> hardcoded(true)
            |> optional("f14", .string)
            |> required("f15", .array(.string))
            |> optional("f16", .int)
            |> optional("f17", .int, default: 0)
            |> required("f18", .string)
            |> required(at: ["in", "f19"], .array(.int))
    }
}

@Suite("Decodings: twenty fields")
struct TwentyFieldsTests {
    private let json: JSON = [
        "f0": "s",
        "f1": 1,
        "f2": 0.5,
        "f5": ["x"],
        "f6": 2,
        "f7": 1,
        "f8": "s",
        "f10": "s",
        "f11": 1,
        "f12": 0.5,
        "f15": ["x"],
        "f16": 2,
        "f17": 1,
        "f18": "s",
        "in": ["f9": [1, 2], "f19": [1, 2]],
    ]
    private let twenty = Twenty(
        f0: "s",
        f1: 1,
        f2: 0.5,
        f3: true,
        f4: nil,
        f5: ["x"],
        f6: 2,
        f7: 1,
        f8: "s",
        f9: [1, 2],
        f10: "s",
        f11: 1,
        f12: 0.5,
        f13: true,
        f14: nil,
        f15: ["x"],
        f16: 2,
        f17: 1,
        f18: "s",
        f19: [1, 2])

    @Test("Both spellings decode twenty fields in order")
    func reading() throws {
        #expect(try Decoding<Twenty>.packed.value(from: json) == twenty)
        #expect(try Decoding<Twenty>.piped.value(from: json) == twenty)
    }

    @Test("A failure in the last of twenty fields has its path")
    func failing() {
        for decoding in [Decoding<Twenty>.packed, .piped] {
            let failure = #expect(throws: DecodingFailure.self) {
                try decoding.value(from: .object(json.members.filter { $0.key != "in" }))
            }
            #expect(failure?.description == "$.in: expected object, found nothing")
        }
    }
}
