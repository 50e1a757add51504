import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

@Suite("The guide's ways to read")
struct ReadingArticleSamples {
    struct NoDate: Error {}

    struct Place: Decodable, Equatable, Sendable {
        let postalCode: String
    }

    struct Meeting: Codable, Sendable {
        let title: String
        let venue: JSON
    }

    private let stub = StubDataSource()
    private var service: WebService {
        WebService(baseURLString: "https://api.example.com", dataSource: stub)
    }

    @Test("await one response in several places")
    func joined() async throws {
        stub.stub(.GET, "/stores/41", .json(["id": 41, "name": "Squirrel Hill"]))
        let task = service.GET("/stores/41")
        async let name = task.json["name"].string
        async let store = task.decoded(as: Store.self)
        let both = try await (name, store)
        #expect(both.0 == both.1.name && stub.requests.count == 1)
    }

    @Test("await a value with its header fields")
    func entities() async throws {
        stub.stub(.GET, "/stores", .json([["id": 41, "name": "x"]], headers: ["ETag": "\"1\""]))
        let entity = try await service.GET("/stores").entity(as: [Store].self)
        print(entity.headers[.eTag] ?? "", entity.content.count)
        #expect(entity.headers[.eTag] == "\"1\"" && entity.content.count == 1)
    }

    @Test("end in time")
    func cancelled() async throws {
        let gate = Gate()
        stub.stub(.GET, "/stores/41", .json(["id": 41]).held(by: gate))
        var patient = service
        patient.clock = ManualClock()
        let service = patient
        let loading = Task { try await service.GET("/stores/41").json }
        loading.cancel()
        await #expect { try await loading.value } throws: { ($0 as? ServiceError)?.isCancelled == true }
        gate.open()
        let quick = try await service.GET("/stores/41", options: [.timeout(.seconds(5))]).json
        #expect(quick["id"] == 41)
    }

    @Test("take and make JSON")
    func json() async throws {
        let json: JSON = ["place": ["postal_code": "15217"]]
        var options = JSON.DecodingOptions()
        options.keyDecodingStrategy = .convertFromSnakeCase
        options.dateDecodingStrategy = .secondsSince1970
        let place = try json["place"].decode(Place.self, options: options)
        #expect(place == Place(postalCode: "15217"))
        stub.stub(.POST, "/orders", .status(201))
        let (item, count) = ("tea", 2)
        let order = JSON.object([("item", .string(item)), ("count", .number(count))])
        let sent = service.POST("/orders", options: [.json(order)])
        _ = try await sent.data
        #expect(stub.request(0).text == #"{"item":"tea","count":2}"#)
    }

    @Test("read a model with options of a request's own")
    func options() async throws {
        stub.stub(.GET, "/places/7", .json(["postal_code": "15217"]))
        var service = service
        let first: Place
        do {
            let place: Place = try await service.GET("/places/7")
                .decoded(with: .codable { $0.keyDecodingStrategy = .convertFromSnakeCase })
            first = place
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let data = try await service.GET("/places/7").data
        let place = try decoder.decode(Place.self, from: data)
        #expect(first == place)
        service.configure { $0.jsonDecoding.keyDecodingStrategy = .convertFromSnakeCase }
        service.configure("/calendar/**") { $0.jsonDecoding.dateDecodingStrategy = .secondsSince1970 }
        #expect(try await service.GET("/places/7").decoded(as: Place.self) == place)
    }

    @Test("keep a part of a model as JSON")
    func parts() async throws {
        stub.stub(.GET, "/meetings/7", .json(["title": "Plan", "venue": ["city_name": "Rome"]]))
        let service = service.configured { $0.jsonDecoding.keyDecodingStrategy = .convertFromSnakeCase }
        let meeting = try await service.GET("/meetings/7").decoded(as: Meeting.self)
        let city = meeting.venue["city_name"].string
        #expect(meeting.title == "Plan" && city == "Rome")
    }

    @Test("read dates as the server writes them")
    func dates() async throws {
        stub.stub(.GET, "/now", .json(["at": 86_400]))
        stub.stub(.GET, "/calendar/next", .json(["at": "1970-01-02"]))
        struct Event: Decodable { let at: Date }
        var service = service
        service.configure { $0.jsonDecoding.dateDecodingStrategy = .secondsSince1970 }
        service.configure("/calendar/**") { configuration in
            configuration.jsonDecoding.dateDecodingStrategy = .custom { decoder in
                let text = try decoder.singleValueContainer().decode(String.self)
                return try Date.ISO8601FormatStyle().year().month().day().parse(text)
            }
        }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "dd.MM.yyyy"
        service.configure("/invoices/**") { $0.jsonDecoding.dateDecodingStrategy = .formatted(formatter) }
        let day = Date(timeIntervalSince1970: 86_400)
        stub.stub(.GET, "/invoices/1", .json(["at": "02.01.1970"]))
        #expect(try await service.GET("/invoices/1").decoded(as: Event.self).at == day)
        #expect(try await service.GET("/now").decoded(as: Event.self).at == day)
        #expect(try await service.GET("/calendar/next").decoded(as: Event.self).at == day)
        let number = try JSON(parsing: Data("[0]".utf8)).decode([Date].self)
        #expect(number == [Date(timeIntervalSinceReferenceDate: 0)])  // seconds since 2001
    }

    @Test("make decodings of decodings")
    func decodings() throws {
        let year = Decoding<String>.string.map { text in
            guard let year = Int(text.prefix(4)) else { throw NoDate() }
            return year
        }
        #expect(try year.value(from: "2026-11-22" as JSON) == 2026)
    }

    @Test("ask caches as they are told")
    func caches() async throws {
        stub.stub(.GET, "/menu", .json(["soup"]))
        var service = service
        // With a manual clock, no minute passes, even on a busy machine.
        service.clock = ManualClock()
        service.configure { $0.pipeline[.rawData].cacheUsing(MemoryCache()) }
        service.configure("/menu") { $0.cachePolicy = .preferCache(maxAge: .seconds(60)) }
        let known = await service.GET("/menu", options: [.cachePolicy(.onlyCache)]).result
        #expect((try? known.get()) == nil && stub.requests.isEmpty)
        _ = try await service.GET("/menu").data
        _ = try await service.GET("/menu").data
        #expect(stub.requests.count == 1)
    }

    @Test("ask how fresh an entity is")
    func freshness() async throws {
        stub.stub(.GET, "/stores/41", .json(["id": 41, "name": "Squirrel Hill"]))
        let entity = try await service.GET("/stores/41").entity(as: Store.self)
        if entity.freshness?.isFresh == false { print("from", entity.age ?? .zero, "ago") }
        #expect(entity.content.id == 41)
        let newest = service.GET("/stores/41", options: [.header(.cacheControl, "no-cache")])
        #expect(try await newest.json["id"] == 41 && stub.requests.count == 2)
    }

    @Test("tell how it went")
    func log() async throws {
        let monitor = Recorder<String>()
        stub.stub(.GET, "/stores", .json([]))
        var service = service
        service.log = .standardError(.info)
        service.logRedaction = .standard.adding(["X-Device", "pin"])
        service.log = .standardError(.debug, bodies: true)
        service.log = .timeline()
        service.log = { event in
            if event.level >= .error { monitor.append(event.description) }
        }
        let task = service.GET("/stores")
        _ = try await task.data
        if let metrics = task.metrics {
            print(metrics.responseStart ?? .zero, metrics.bytesReceived, metrics.protocolName ?? "")
        }
        stub.stub(.GET, "/report", .json([]))
        let report = service.GET("/report")
        print(report.curlCommand)
        let command = report.request.curlCommand(revealingSecrets: true)
        _ = try await report.data
        #expect(monitor.values.isEmpty && command.hasPrefix("curl"))
    }

    @Test("tell what was sent and received")
    func texts() async throws {
        let monitor = Recorder<String>()
        stub.stub(.POST, "/login", .json(["token": "secret", "name": "Ann"]))
        var service = service
        service.log = { event in
            switch event {
            case .requestSent(let request): monitor.append(request.curlCommand ?? request.url)
            case .responseReceived(_, let response):
                monitor.append("\(response.statusCode) \(response.bodyText ?? "")")
            case .failed(_, let reason): monitor.append(reason)
            default: break
            }
        }
        _ = try await service.POST("/login", options: [.json(["user": "ann"])]).data
        #expect(monitor.values.first?.hasPrefix("curl") == true)
        #expect(monitor.values.last == #"200 {"token":"<redacted>","name":"Ann"}"#)
    }

    @Test("take a redirect for what it is")
    func redirects() async throws {
        let dataSource = URLSessionDataSource(redirectPolicy: .doNotFollow)
        let service = WebService(baseURLString: "https://api.example.com", dataSource: dataSource)

        let stub = StubDataSource(redirectPolicy: .doNotFollow)
        stub.stub(.GET, "/moved", .status(302, headers: ["Location": "/new"]))
        #expect(service.dataSource is URLSessionDataSource)
        try await take(WebService(baseURLString: "https://api.example.com", dataSource: stub))
    }

    @Test("take one redirect for what it is")
    func redirectsOfOneRequest() async throws {
        let stub = StubDataSource()
        stub.stub(.GET, "/moved", .status(302, headers: ["Location": "/new"]))
        let service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        let moved = service.GET(
            "/moved", options: [.redirects(.doNotFollow), .acceptableStatusCodes(200..<400)])
        #expect(try await moved.response.head.statusCode == 302)
    }

    private func take(_ service: WebService) async throws {
        let task = service.GET("/moved", options: [.acceptableStatusCodes(200..<400)])
        #expect(try await task.response.head.statusCode == 302)
    }
}
