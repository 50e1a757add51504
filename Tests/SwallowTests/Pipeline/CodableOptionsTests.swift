import Foundation
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

import Swallow

@Suite("The service's own options for reading JSON")
struct CodableOptionsTests {
    private struct Event: Codable, Equatable, Sendable {
        var startsAt: Date
    }

    private let stub = StubDataSource()
    private let date = Date(timeIntervalSince1970: 1_700_000_000)

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
        // Without a service, a decoding doesn't use the service's options. A decoding with explicit options never uses
        // them.
        #expect(throws: DecodingFailure.self) { try decoding.value(from: stubbed) }
        let standard = Decoding<[Event]>.array(.codable(.standard))
        await #expect(throws: ServiceError.self) { try await service.GET("/").decoded(with: standard) }
    }

    private var stubbed: JSON { [["starts_at": 1_700_000_000]] }
}
