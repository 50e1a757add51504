import DecodePipeline
import SwallowJSON

struct Address: Sendable, Equatable {
    let street: String?
    let city: String
}

struct User: Sendable, Equatable {
    let name: String
    let lastName: String
    let image: String?
    let score: Int
    let sports: [String]
    let city: String
    let role: String
}

extension Decoding where Value == Address {
    static var address: Self {
        Decoding(Address.init, .optional("street", .string), .required("city", .string))
    }
}

// Both spellings must compile inside an extension of `Decoding`.
extension Decoding where Value == User {
    static var packed: Self {
        Decoding(
            User.init,
            .required("name", .string),
            .required("last_name", .string),
            .optional("image", .string),
            .optional("score", .int, default: 0),
            .required("sports", .array(.string)),
            .required(at: ["address", "city"], .string),
            .hardcoded("athlete"))
    }

    static var piped: Self {
        decode(User.init)
            |> required("name", .string)
            |> required("last_name", .string)
            |> optional("image", .string)
            |> optional("score", .int, default: 0)
            |> required("sports", .array(.string))
            |> required(at: ["address", "city"], .string)
            |> hardcoded("athlete")
    }

    static var shouting: Self {
        decode(User.init)
            |> required("name", .string |> map { $0.uppercased() })
            |> required("last_name", .string.map { $0.uppercased() })
            |> hardcoded(nil)
            |> required("scores", .array(.int) |> map { $0.reduce(0, +) })
            |> required("sports", .array(.string |> andThen { text in .custom { _ in text } }))
            |> hardcoded("-")
            |> hardcoded("fan")
    }

    static var terse: Self {
        Decoding(
            User.init, .required("n", .string), .required("n", .string), .hardcoded(nil), .hardcoded(0),
            .hardcoded([]), .hardcoded("-"), required("r", .custom { $0.string ?? "none" }))
    }
}

enum Spelling: CaseIterable, Sendable {
    case packed
    case piped

    var user: Decoding<User> {
        switch self {
        case .packed: .packed
        case .piped: .piped
        }
    }
}

let ann = User(
    name: "Ann", lastName: "Lee", image: nil, score: 0, sports: ["judo"], city: "Rome", role: "athlete")
let annJSON: JSON = [
    "name": "Ann", "last_name": "Lee", "sports": ["judo"], "address": ["city": "Rome"],
]

/// Returns the description of the error with which a decoding fails, or `nil` if it succeeds.
func failure<Value>(of decoding: Decoding<Value>, _ text: String) -> String? {
    do {
        _ = try decoding.value(from: text)
        return nil
    } catch {
        return error.description
    }
}
