import Foundation
import SwallowJSON
import Testing

@Suite("Default options for decoding JSON")
struct CodableOptionsTests {
    private struct Event: Codable, Equatable, Sendable {
        var startsAt: Date
    }

    private let date = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(
        "JSON.DecodingOptions() decodes the same dates as .standard",
        arguments: ["\"2023-11-14T22:13:20Z\"", "721692800"])
    func oneDefault(text: String) throws {
        let json = try JSON(parsing: "{\"startsAt\": \(text)}")
        var options = JSON.DecodingOptions()
        #expect(try json.decode(Event.self, options: options).startsAt == date)
        #expect(try json.decode(Event.self, options: .standard).startsAt == date)
        #expect(try json.decode(Event.self).startsAt == date)
        options.keyDecodingStrategy = .convertFromSnakeCase
        let snake = try JSON(parsing: "{\"starts_at\": \(text)}")
        #expect(try snake.decode(Event.self, options: options).startsAt == date)
        #expect(try Decoding<Event>.codable.value(from: json).startsAt == date)
    }
}
