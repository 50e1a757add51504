import DecodePipeline
import Swallow
import SwallowTesting
import Testing

struct Athlete: Equatable, Sendable {
    let name: String
    let image: String?
    let score: Int
    let sports: [String]
    let city: String
    let role: String
}

struct Portrait: Equatable, Sendable {
    let image: String?
    let caption: String?
}

extension Decoding where Value == Athlete {
    static var athlete: Self {
        Decoding(
            Athlete.init,
            .required("name", .string),
            .optional("image", .string),
            .optional("score", .int, default: 0),
            .required("sports", .array(.string)),
            .required(at: ["address", "city"], .string),
            .hardcoded("athlete"))
    }
}

@Suite("The README's decodings")
struct DecodingSamples {
    private let ann = Athlete(
        name: "Ann", image: nil, score: 0, sports: ["judo"], city: "Rome", role: "athlete")

    @Test("read in pipes")
    func pipes() throws {
        let data: JSON = [["name": "ann", "sports": ["judo"], "address": ["city": "Rome"]]]
        let athlete: Decoding<Athlete> =
            decode(Athlete.init)
            |> required("name", string |> map { $0.capitalized })
            |> optional("image", string)
            |> optional("score", int, 0)
            |> required("sports", string |> array)
            |> required(at: ["address", "city"], string)
            |> hardcoded("athlete")
        let athletes = try (athlete |> array).value(from: data)
        #expect(athletes == [ann])
    }

    @Test("hand what must be there to a parameter that takes nil")
    func optionals() throws {
        let portrait: Decoding<Portrait> =
            decode(Portrait.init)
            |> required("image", string |> map { Optional($0) })
            |> required("caption", .nullable(string))
        let json: JSON = ["image": "ann.png", "caption": nil]
        #expect(try portrait(json) == Portrait(image: "ann.png", caption: nil))
        #expect(throws: DecodingFailure.self) { try portrait(["caption": nil]) }
        #expect(throws: DecodingFailure.self) { try portrait(["image": nil, "caption": nil]) }
        #expect(throws: DecodingFailure.self) { try portrait(["image": "ann.png"]) }
    }

    @Test("name the place of what doesn't fit")
    func failures() async throws {
        let sick: JSON = ["name": "Ann", "sports": [1], "address": ["city": "Rome"]]
        let well: JSON = ["name": "Ann", "sports": ["judo"], "address": ["city": "Rome"]]
        let stub = StubDataSource().stub(.GET, "/users", .json([well, well, well, sick]))
        let service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        do {
            let athletes = try await service.GET("/users").decoded(with: .array(.athlete))
            print(athletes.count)
        } catch {
            print(error)  // undecodable: … $[3].sports[0]: expected string, found number …
        }
        await #expect { try await service.GET("/users").decoded(with: .array(.athlete)) } throws: {
            "\($0)".contains("$[3].sports[0]: expected string, found number")
        }
    }
}
