import Foundation
import Swallow
import SwallowTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The README's requests")
struct RequestSamples {
    private let stub = StubDataSource()

    @Test("send the parameters that the comments show")
    func parameters() async throws {
        let service = WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)
        let store = Store(id: 41, name: "Squirrel Hill")
        stub.stub(.status(200), when: { _ in true })

        let search = service.GET(
            "/stores", parameters: ["zip": "15217", "radius": 2.5, "open": true, "tags": ["café", "24h"]])
        // GET /v1/stores?zip=15217&radius=2.5&open=1&tags%5B%5D=caf%C3%A9&tags%5B%5D=24h

        let form = service.POST("/stores", parameters: ["name": "Squirrel Hill", "zip": nil])
        // POST /v1/stores: name=Squirrel%20Hill

        let document = service.POST(
            "/stores", parameters: ["name": "Squirrel Hill"], options: [.parameterEncoding(.json)])
        // POST /v1/stores: {"name":"Squirrel Hill"}

        let update = service.PUT("/stores/\(store.id)", options: [.json(store), .query(["notify": false])])
        // PUT /v1/stores/41?notify=0: {"id":41,"name":"Squirrel Hill"}

        for task in [search, form, document, update] { _ = try await task.data }
        let urls = stub.requests.map { $0.url?.absoluteString ?? "" }
        #expect(
            urls[0].hasSuffix("/v1/stores?zip=15217&radius=2.5&open=1&tags%5B%5D=caf%C3%A9&tags%5B%5D=24h"))
        #expect(urls[3].hasSuffix("/v1/stores/41?notify=0"))
        let bodies = stub.requests.map { String(decoding: $0.httpBody ?? Data(), as: UTF8.self) }
        #expect(bodies[1] == "name=Squirrel%20Hill")
        #expect(bodies[2] == #"{"name":"Squirrel Hill"}"#)
        #expect(try JSON(parsing: bodies[3]) == ["id": 41, "name": "Squirrel Hill"])
    }

    @Test("take options")
    func options() async throws {
        var service = WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)
        service.clock = ManualClock()
        stub.stub(.GET, "/stores/41", .status(304))
        let task = service.GET(
            "/stores/41",
            options: [
                .header(.acceptLanguage, "de"), .timeout(.seconds(5)),
                .acceptableStatusCodes([200..<300, 304]),
            ])
        _ = try await task.data
        #expect(stub.requests.first?.value(forHTTPHeaderField: "Accept-Language") == "de")
    }

    @Test("are configured by pattern")
    func configuration() async throws {
        var service = WebService(baseURLString: "https://api.example.com/v1")
        service.configure { $0.headers[.userAgent] = "StoreApp/1.0" }
        service.configure("/search**", methods: [.GET]) { $0.timeout = .seconds(2) }
        service.configure { configuration in
            configuration.adaptRequest { request in
                request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
            }
        }
        (service.dataSource, service.clock) = (stub, ManualClock())
        stub.stub(.status(200), when: { _ in true })
        _ = try await service.GET("/search/near/me").data
        _ = try await service.GET("/admin/users").data
        let ids = Set(stub.requests.map { $0.value(forHTTPHeaderField: "X-Request-ID") })
        #expect(ids.count == 2 && !ids.contains(nil))
        #expect(stub.requests.allSatisfy { $0.value(forHTTPHeaderField: "User-Agent") == "StoreApp/1.0" })
    }
}
