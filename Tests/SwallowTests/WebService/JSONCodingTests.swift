import Foundation
import Swallow
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("One way to write and read JSON, for a whole service")
struct JSONCodingTests {
    struct Event: Codable, Equatable, Identifiable, Sendable {
        var id = 7
        var startTime = Date(timeIntervalSince1970: 0)
    }

    struct Events: Readable, Creatable, Updatable {
        typealias Entity = Event
        let service: WebService
        let name: Request.Path = "events"
    }

    private let stub = StubDataSource()

    private func service(_ configure: (@Sendable (inout WebService.Configuration) -> Void)? = nil)
        -> WebService
    {
        var service = WebService(baseURLString: "http://service.test", dataSource: stub)
        if let configure { service.configure(configurer: configure) }
        return service
    }

    private func body(_ index: Int = 0) throws -> JSON {
        try JSON(parsing: stub.requests[index].httpBody ?? Data())
    }

    @Test(
        "JSON that can't be written isn't sent, however deep the number that JSON has no word for",
        arguments: [JSON.number(Double.nan), ["a": 1, "b": [.number(-Double.infinity)]]])
    func unwritable(_ json: JSON) async {
        await #expect { try await service().POST("/x", options: [.json(json)]).data } throws: { error in
            (error as? ServiceError)?.reason == .invalidRequest
                && "\(error)".contains("is not a finite number")
        }
    }

    @Test("A date is ISO 8601 wherever one is written")
    func dates() async throws {
        stub.stub(.POST, "**", .status(204)).stub(.GET, "**", .status(204)).stub(.PUT, "**", .status(204))
        let service = service()
        _ = try await service.POST("/a", options: [.json(Event())]).data
        _ = try await service.POST(
            "/b", parameters: Parameters(encoding: Event()), options: [.parameterEncoding(.json)]
        ).data
        _ = try await service.POST(
            "/c", parameters: ["startTime": Event().startTime], options: [.parameterEncoding(.json)]
        ).data
        _ = try await Events(service: service).create(Event()).value
        _ = try await Events(service: service).update([Event()]).value
        for index in 0..<5 {
            let json = try body(index)
            #expect((json[0].exists ? json[0] : json)["startTime"].string == "1970-01-01T00:00:00Z")
        }
        _ = try await service.GET("/d", parameters: Parameters(encoding: Event())).data
        #expect(
            stub.requests[5].url?.query(percentEncoded: true) == "id=7&startTime=1970-01-01T00%3A00%3A00Z")
    }

    @Test(
        "A service reads a date with fractions or without, with an offset, and as Date itself writes it",
        arguments: [
            #""1970-01-01T00:00:00Z""#, #""1970-01-01T00:00:00.000Z""#, #""1970-01-01T02:00:00+02:00""#,
            "-978307200", "-978307200.0",
        ])
    func readingDates(text: String) async throws {
        stub.stub(
            .GET, "**",
            .data(Data(#"{"id": 7, "startTime": \#(text)}"#.utf8), contentType: "application/json"))
        #expect(try await Events(service: service()).read(id: 7).value == Event())
        let json = try JSON(parsing: #"{"id": 7, "startTime": \#(text)}"#)
        #expect(try json.decode(Event.self, options: .standard) == Event())
        #expect(try Decoding<Event>.codable.value(from: json) == Event())
    }

    @Test("A date that is neither is an error with its place")
    func noDate() {
        #expect {
            try Decoding<Event>.codable.value(from: JSON(parsing: #"{"id": 7, "startTime": "soon"}"#))
        } throws: { "\($0)".contains("$.startTime") && "\($0)".contains("soon") }
    }

    @Test("Key and date strategies are set in one place, for bodies, parameters and repositories")
    func strategies() async throws {
        stub.stub(.POST, "**", .status(204))
        let service = service {
            $0.jsonEncoding.keyEncodingStrategy = .convertToSnakeCase
            $0.jsonEncoding.dateEncodingStrategy = .millisecondsSince1970
        }
        let options: [Request.Option] = [.parameterEncoding(.json)]
        _ = try await service.POST("/a", options: [.json(Event())]).data
        _ = try await service.POST("/b", parameters: Parameters(encoding: Event()), options: options).data
        _ = try await Events(service: service).create(Event()).value
        for index in 0..<3 { #expect(try body(index) == ["id": 7, "start_time": 0]) }
        // A name that the caller writes is that name, and so is a dictionary's key.
        _ = try await service.POST("/c", parameters: ["startTime": Event().startTime], options: options).data
        #expect(try body(3) == ["startTime": 0])
        _ = try await service.POST(
            "/d", parameters: Parameters(encoding: ["startTime": [Event()]]), options: options
        ).data
        #expect(try body(4) == ["startTime": [["id": 7, "start_time": 0]]])
    }

    @Test("A key strategy of the app's own gets the path")
    func customKeys() throws {
        struct Outer: Encodable { var inner = Event() }
        let service = service {
            $0.jsonEncoding.keyEncodingStrategy = .custom { path in
                Key(path.map(\.stringValue).joined(separator: "."))
            }
        }
        let url = try service.GET("/", parameters: Parameters(encoding: Outer())).request.urlRequest().url
        #expect(url?.query(percentEncoded: false)?.hasPrefix("inner[inner.id]=7&") == true)
    }

    @Test("Repositories and transformers read by the service's options")
    func decoding() async throws {
        let body: JSON = ["id": 7, "start_time": 0]
        stub.stub(.GET, "**", .json(body))
        var service = service {
            $0.jsonDecoding.keyDecodingStrategy = .convertFromSnakeCase
            $0.jsonDecoding.dateDecodingStrategy = .secondsSince1970
        }
        #expect(try await Events(service: service).read(id: 7).value == Event())
        service.configureTransformer("/events/*", decoding: Event.self)
        #expect(try await service.GET("/events/7").content(as: Event.self) == Event())
        #expect(service.GET("/events/7").request.jsonDecoding.userInfo.isEmpty)
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }
}

extension WebService {
    fileprivate mutating func configure(
        configurer: @escaping @Sendable (inout WebService.Configuration) -> Void
    ) {
        configure(.all, configurer)
    }
}
