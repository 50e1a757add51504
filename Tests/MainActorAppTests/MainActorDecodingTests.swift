import DecodePipeline
import Swallow
import Testing

nonisolated struct Track: Sendable, Equatable {
    let title: String
    let seconds: Int?
}

extension Decoding where Value == Track {
    static var packed: Self {
        Decoding(Track.init, .required("title", .string), .optional("seconds", .int))
    }

    static var piped: Self {
        decode(Track.init)
            |> required("title", .string |> map { $0.uppercased() })
            |> optional("seconds", .int)
    }
}

@Suite("Decodings in an app on the main actor")
struct MainActorDecodingTests {
    @Test("Both spellings work where everything belongs to the main actor")
    func spellings() throws {
        let text = #"[{"title": "a", "seconds": 7}]"#
        #expect(try Decoding.array(.packed).value(from: text) == [Track(title: "a", seconds: 7)])
        #expect(try (Decoding<Track>.piped |> array).value(from: text) == [Track(title: "A", seconds: 7)])
    }
}
