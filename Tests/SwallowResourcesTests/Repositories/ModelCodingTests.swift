import Foundation
import Swallow
import SwallowResources
import Testing

@Suite("How a repository reads and writes its models")
struct ModelCodingTests {
    /// A model that is neither `Decodable` nor `Encodable`.
    private struct Point: Equatable, Sendable {
        let x: Int
        let y: Int
    }

    private struct Points: Readable, Creatable {
        typealias Model = Point
        let service: WebService
        let name: Request.Path = "points"
        let envelope: Envelope = .at(single: "point", list: "result", "points")
        let decoding = Decoding(Point.init, .required("x", .int), .required("y", .int))
        let encoding: Encoding<Point> = .custom { point in
            ["point": ["x": .number(point.x), "y": .number(point.y)]]
        }
    }

    @Test("by a decoding and an encoding of its own")
    func own() async throws {
        let backend = Backend { request in
            let point = #"{"x": 1, "y": 2}"#
            return .init(
                body: request.httpMethod == "POST"
                    ? #"{"point": \#(point)}"# : #"{"result": {"points": [\#(point)]}}"#)
        }
        let points = Points(service: backend.service)
        #expect(try await points.readAll().value == [Point(x: 1, y: 2)])
        #expect(try await points.create(Point(x: 3, y: 4)).value == Point(x: 1, y: 2))
        #expect(backend.bodies.last == #"{"point":{"x":3,"y":4}}"#)
        _ = await points.create([Point(x: 3, y: 4)]).result
        #expect(backend.bodies.last == #"[{"point":{"x":3,"y":4}}]"#)
    }

    @Test("through one envelope for single and list answers alike")
    func envelope() async throws {
        let backend = Backend { request in
            let isList = request.url?.path == "/users"
            return .init(body: #"{"data": \#(isList ? "[\(Member.json)]" : Member.json), "next": null}"#)
        }
        let users = Members(service: backend.service, envelope: .at("data"))
        #expect(try await users.read(id: 7).value == .ada)
        #expect(try await users.readAll().value == [.ada])
        #expect(try await users.update(.bob).value == .ada)
    }

    @Test("through an envelope around lists only")
    func listEnvelope() async throws {
        let backend = Backend { request in
            .init(body: request.url?.path == "/users" ? #"{"items": [\#(Member.json)]}"# : Member.json)
        }
        let users = Members(service: backend.service, envelope: .at(list: "items"))
        #expect(try await users.read(id: 7).value == .ada)
        #expect(try await users.readAll().value == [.ada])
    }

    @Test(
        "names the place of what doesn't fit",
        arguments: [
            (#"[{"id": 7, "name": "Ada"}, {"id": 8}]"#, "$.data[1].name: expected value, found nothing"),
            (#"[{"id": 7, "name": 7}]"#, "$.data[0].name: expected string, found number"),
            (#"[{"id": "7", "name": "Ada"}]"#, "$.data[0].id: expected integer, found string"),
            (#"[null]"#, "$.data[0]: expected object, found null"),
            (#"{}"#, "$.data: expected array, found object"),
        ])
    func failures(list: String, expected: String) async {
        let users = Members(service: Backend(#"{"data": \#(list)}"#).service, envelope: .at("data"))
        let error = await users.readAll().failure
        #expect(error?.reason == .undecodable)
        #expect((error?.underlying as? DecodingFailure)?.description == expected)
    }

    @Test("names the place below arrays and dictionaries inside a model")
    func deepFailures() throws {
        struct Team: Decodable, Sendable { let members: [String: [Member]] }
        let json = try JSON(parsing: #"{"members": {"1": [{"id": 7, "name": "Ada"}, {"id": true}]}}"#)
        #expect(throws: DecodingFailure.self) { try Decoding<Team>.codable.value(from: json) }
        do {
            _ = try Decoding<Team>.codable.value(from: json)
        } catch {
            #expect(error.description == "$.members['1'][1].id: expected integer, found boolean")
        }
    }

    @Test("with the options of its coders")
    func options() throws {
        struct Event: Codable, Equatable, Sendable { let startsAt: Date }
        let decoding = Decoding<Event>.codable {
            $0.dateDecodingStrategy = .iso8601
            $0.keyDecodingStrategy = .convertFromSnakeCase
        }
        let encoding = Encoding<Event>.codable {
            $0.dateEncodingStrategy = .iso8601
            $0.keyEncodingStrategy = .convertToSnakeCase
        }
        let text = #"{"starts_at":"1970-01-01T00:00:00Z"}"#
        let event = Event(startsAt: Date(timeIntervalSince1970: 0))
        #expect(try decoding.value(from: text) == event)
        #expect(try String(decoding: encoding.data(of: event), as: UTF8.self) == text)
        #expect(try String(decoding: encoding.data(of: [event]), as: UTF8.self) == "[\(text)]")
    }

    @Test("fails before sending where a model can't be encoded")
    func unencodable() async {
        struct Gauge: Codable, Sendable { let level: Double }
        struct Gauges: Creatable, Updatable {
            typealias Model = Gauge
            let service: WebService
            let name: Request.Path = "gauges"
        }
        let backend = Backend()
        let gauges = Gauges(service: backend.service)
        #expect(await gauges.create(Gauge(level: .infinity)).failure?.reason == .invalidRequest)
        #expect(await gauges.update([Gauge(level: .nan)]).failure?.reason == .invalidRequest)
        #expect(backend.sent.isEmpty)
    }
}
