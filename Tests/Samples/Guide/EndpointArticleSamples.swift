import Foundation
import Swallow
import SwallowTesting
import Testing

extension WebService {
    static let api = WebService(baseURLString: "https://api.example.com/v1")
        .configured { $0.headers[.userAgent] = "StoreApp/1.0" }
}

@Suite("The guide's endpoints and parameters")
struct EndpointArticleSamples {
    private let stub = StubDataSource().stub(.json([]), when: { _ in true })

    @Test("have paths of every kind")
    func paths() throws {
        let (name, text) = ("../admin?x=/", "/a?b=1")
        let next = try #require(URL(string: "https://api.example.com/v1/stores?page=2"))
        var service = WebService(baseURLString: "https://api.example.com/v1?key=k")
        service.dataSource = stub

        // https://api.example.com/v1/stores?key=k&open=1
        let stores = service.GET("/stores?open=1")
        let repos = service.GET("/users/\(name)/repos")  // name is one segment
        let other = service.GET("https://other.example.com/status")  // used unchanged
        let linked = service.GET(next)  // a URL from a response
        let typed = service.GET(Request.Path(text))  // a path in a variable
        let urls = try [stores, repos, other, linked, typed].map { task in
            try task.request.urlRequest().url?.absoluteString
        }
        #expect(
            urls == [
                "https://api.example.com/v1/stores?key=k&open=1",
                "https://api.example.com/v1/users/..%2Fadmin%3Fx%3D%2F/repos?key=k",
                "https://other.example.com/status", "https://api.example.com/v1/stores?page=2",
                "https://api.example.com/v1/a?key=k&b=1",
            ])
    }

    @Test("are called by a service")
    func calls() async throws {
        let service = WebService(baseURLString: "https://api.example.com/v1")
        func search(_ service: WebService) async throws {
            let stores = try await service.searchStores(zipCode: "15217").decoded(as: [Store].self)
            #expect(stores.isEmpty)
        }
        try await search(service.sending(to: stub))
    }

    @Test("have their time")
    func timeouts() async throws {
        var service = WebService(baseURLString: "https://api.example.com/v1")
        service.configure { $0.timeout = .seconds(30) }
        service.configure("/reports/**") { $0.timeout = .seconds(120) }

        try await limits(service.sending(to: stub))
    }

    private func limits(_ service: WebService) async throws {
        var service = service
        let clock = ManualClock()
        service.clock = clock
        let store = try await service.GET("/stores/41", options: [.timeout(.seconds(5))]).json
        #expect(store == [])
        stub.stub(.GET, "/reports/1", .json([]).delayed(.seconds(100)))
        stub.stub(.GET, "/stores/42", .json([]).delayed(.seconds(100)))
        let (slow, late) = (service.GET("/reports/1"), service.GET("/stores/42"))
        clock.advance(by: .seconds(101))
        #expect(try await slow.json == [])
        await #expect { try await late.json } throws: { ($0 as? ServiceError)?.reason == .timedOut }
    }

    @Test("are one service for the app")
    func shared() async throws {
        _ = try await WebService.api.sending(to: stub).GET("/stores").data
        #expect(stub.request(0)[.userAgent] == "StoreApp/1.0")
    }

    enum Order: String, ParameterConvertible { case distance, name }

    struct Filter: Encodable {
        var zip = "15217"
        var order = "distance"
    }

    @Test("take values of the app's own")
    func values() async throws {
        let service = WebService.api.sending(to: stub)
        let dictionary = ["zip": "15217", "order": "name"]
        let sorted = service.GET("/stores", parameters: ["order": Order.distance])
        let filtered = service.GET("/stores", parameters: Parameters(encoding: Filter()))
        let named = service.GET("/stores", parameters: Parameters(dictionary))  // sorted by key
        for task in [sorted, filtered, named] { _ = try await task.data }
        #expect(
            stub.requests.map { $0.url?.query } == [
                "order=distance", "zip=15217&order=distance", "order=name&zip=15217",
            ])
    }

    @Test("are written as the server wants them")
    func encodings() async throws {
        var service = WebService.api.sending(to: stub)
        service.configure { configuration in
            configuration.parameterEncoding = .percent(
                arrays: .repeat, booleans: .literal, nils: .emptyValue)
        }
        service.configure { configuration in
            configuration.jsonEncoding.keyEncodingStrategy = .convertToSnakeCase
            configuration.jsonDecoding.keyDecodingStrategy = .convertFromSnakeCase
        }
        _ = try await service.GET("/", parameters: ["tags": ["a", "b"], "open": true, "zip": nil]).data
        #expect(stub.request(0).url.hasSuffix("?tags=a&tags=b&open=true&zip="))
        struct Named: Encodable { let firstName = "Ada" }
        _ = try await service.POST("/", options: [.json(Named())]).data
        #expect(stub.request(1).text == #"{"first_name":"Ada"}"#)
    }
}

extension WebService {
    fileprivate func sending(to stub: StubDataSource) -> WebService {
        var service = self
        service.dataSource = stub
        return service
    }
}
