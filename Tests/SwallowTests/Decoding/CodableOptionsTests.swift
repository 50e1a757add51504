import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

@Suite("One default for reading JSON, and the service's own options")
struct CodableOptionsTests {
    private struct Event: Codable, Equatable, Sendable {
        var startsAt: Date
    }

    private let stub = StubDataSource()
    private let date = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(
        "JSON.DecodingOptions() reads what .standard reads",
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

    @Test("What .codable reads for a task goes by the service's options, wherever it stands in the decoding")
    func service() async throws {
        stub.stub(.GET, "/", .json([["starts_at": 1_700_000_000]]))
        stub.stub(.GET, "/page", .json(["items": [["starts_at": 1_700_000_000]]]))
        var service = WebService.test(stub)
        service.configure {
            $0.jsonDecoding.keyDecodingStrategy = .convertFromSnakeCase
            $0.jsonDecoding.dateDecodingStrategy = .secondsSince1970
        }
        let events = [Event(startsAt: date)]
        let decoding = Decoding<[Event]>.array(.codable)
        #expect(try await service.GET("/").decoded(with: decoding) == events)
        #expect(try await service.GET("/page").decoded(with: .at(["items"], decoding)) == events)
        #expect(try await service.future(with: decoding) { $0.GET("/") }.value == events)
        let handled = Recorder<[Event]>()
        service.GET("/").responseDecoded(.utility, with: decoding) { handled.append($0) }
        #expect(await handled.first(1) == [events])
        service.configureTransformer("/page", decoding: .field("items", decoding))
        #expect(try await service.GET("/page").content(as: [Event].self) == events)
        // Its own options stay its own, and elsewhere there is no service.
        #expect(throws: DecodingFailure.self) { try decoding.value(from: stubbed) }
        let standard = Decoding<[Event]>.array(.codable(.standard))
        await #expect(throws: ServiceError.self) { try await service.GET("/").decoded(with: standard) }
    }

    private var stubbed: JSON { [["starts_at": 1_700_000_000]] }
}
