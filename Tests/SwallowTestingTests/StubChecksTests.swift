import Foundation
import Swallow
import TestSupport
import Testing

@testable import SwallowTesting

@Suite("Checking a stub's requests")
struct StubChecksTests {
    private let stub = StubDataSource()
    private var service: WebService { .test(stub) }

    @Test("A request is read by its position, and is empty if there is no such request")
    func requests() async throws {
        stub.stub(.POST, "/stores", .status(201))
        let options: [Request.Option] = [.json(["name": "x"]), .header("X-A", "b"), .query(["q": "a b"])]
        _ = try await service.POST("/stores", options: options).data
        let request = stub.request(0)
        #expect(request.json["name"].string == "x")
        #expect(request.text == #"{"name":"x"}"#)
        #expect(request.method == "POST")
        #expect(request[.contentType] == "application/json")
        #expect(request["x-a"] == "b")
        #expect(request.query("q") == "a b")
        #expect(request.query("p") == nil)
        for index in [1, -1] {
            let missing = stub.request(index)
            #expect(missing.urlRequest == nil && missing.method.isEmpty && missing.url.isEmpty)
            #expect(!missing.json.exists && missing.body.isEmpty && missing.query("q") == nil)
        }
    }

    @Test("Stubs count their responses, and verify() throws an error that names the unused stubs")
    func counts() async throws {
        stub.stub(.GET, "/a", .text("1")).stub(.GET, "/b?x=1", .text("2"))
        #expect(throws: CheckFailure.self) { try stub.verify() }
        _ = try await service.GET("/a").data
        _ = try await service.GET("/a").data
        #expect(stub.stubs.map(\.description) == ["GET /a", "GET /b?x=1"])
        #expect(stub.stubs.map(\.count) == [2, 0])
        #expect(stub.count(.GET, "/a") == 2)
        #expect(stub.count(.POST, "/a") == 0)
        #expect(stub.unusedStubs == ["GET /b?x=1"])
        let error = #expect(throws: CheckFailure.self) { try stub.verify() }
        #expect(error.map { "\($0)" } == "no request used the stubs GET /b?x=1")
        _ = try await service.GET("/b", parameters: ["x": 1]).data
        try stub.verify()
    }

    @Test("A stub that is replaced by another stub for the same requests doesn't count as unused")
    func replaced() async throws {
        let all = URLPattern.all
        stub.stub(.GET, "/a?x=1", query: ["y": "2"], .text("1")).stub(.GET, all, .text("all"))
        #expect(stub.unusedStubs == ["GET /a?x=1&y=2", "GET **"])
        stub.stub(.GET, "/a?y=2&x=1", .text("2")).stub(.GET, all, .text("all of them"))
        #expect(stub.unusedStubs == ["GET /a?y=2&x=1", "GET **"])
        #expect(try await service.GET("/a?x=1&y=2").text == "all of them")
        #expect(stub.stubs.map(\.count) == [0, 0, 0, 1])
        // A narrower stub doesn't replace a wider one, and closures can't be compared.
        let stub = StubDataSource()
        stub.stub(.GET, "/a", .text("")).stub(.POST, "/a", .text("")).stub(
            .GET, "/a", headers: ["A": "b"], .text("")
        )
        .stub(.GET, "/a", body: { _ in true }, .text("")).stub(.GET, "/a", body: { _ in true }, .text(""))
        .stub(.GET, .matching { _ in true }, .text("")).stub(.GET, .matching { _ in true }, .text(""))
        #expect(stub.unusedStubs.count == 7)
    }

    @Test("Any encodable value can be a response, and a value that can't be encoded fails with a clear error")
    func encodable() async throws {
        struct Store: Codable, Equatable {
            var id: Int
            var opened: Date
        }
        let store = Store(id: 41, opened: Date(timeIntervalSince1970: 0))
        stub.stub(.GET, "/a", .json(store)).stub(.GET, "/b", .json([Double.nan]))
            .stub(.GET, "/c", .json(["z": 1, "a": 2], status: 203))
        #expect(try await service.GET("/a").text == #"{"id":41,"opened":"1970-01-01T00:00:00Z"}"#)
        #expect(try await service.GET("/a").decoded(as: Store.self) == store)
        // A literal is JSON, and keeps its order.
        #expect(try await service.GET("/c").text == #"{"z":1,"a":2}"#)
        let error = await #expect(throws: ServiceError.self) { try await service.GET("/b").data }
        #expect(error?.reason == .invalidResponse)
    }
}

@Suite("Stubbed redirects")
struct StubRedirectTests {
    private let stub = StubDataSource()

    @Test("A redirect leads to the stub of its location, as in the real data sources")
    func follows() async throws {
        stub.stub(.POST, "/old", .status(303, headers: ["Location": "/new?x=1"]))
        stub.stub(.GET, "/new?x=1", .text("here"))
        let task = WebService.test(stub).POST("/old", parameters: ["a": 1])
        #expect(try await task.text == "here")
        #expect(stub.requests.map(\.httpMethod) == ["POST", "GET"])
        #expect(stub.request(1).body.isEmpty)
    }

    @Test("Endless redirects and a redirect to a location without a stub fail")
    func ends() async throws {
        stub.stub(.GET, "/loop", .status(302, headers: ["Location": "/loop"]))
        stub.stub(.GET, "/lost", .status(302, headers: ["Location": "/nowhere"]))
        let service = WebService.test(stub)
        let loop = await #expect(throws: ServiceError.self) { try await service.GET("/loop").data }
        #expect((loop?.underlying as? URLError)?.code == .httpTooManyRedirects)
        #expect(stub.count(.GET, "/loop") == 21)
        let lost = await #expect(throws: ServiceError.self) { try await service.GET("/lost").data }
        #expect(lost?.reason == .invalidRequest)
    }

    @Test("A redirect is the response if the policy is .doNotFollow")
    func stays() async throws {
        let stub = StubDataSource(redirectPolicy: .doNotFollow)
        stub.stub(.GET, "/old", .status(302, headers: ["Location": "/new"]))
        let task = WebService.test(stub).GET("/old", options: [.acceptableStatusCodes([302])])
        #expect(try await task.response.head.statusCode == 302)
    }

    @Test("A redirect and its target wait for their own gates and delays")
    func waits() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        stub.stub(.GET, "/old", .status(302, headers: ["Location": "/new"]).delayed(.seconds(1)))
        stub.stub(.GET, "/new", .text("here").delayed(.seconds(1)).held(by: gate))
        var service = WebService.test(stub)
        service.clock = clock
        let task = service.GET("/old")
        try await gate.arrivals()
        gate.open()
        clock.advance(by: .seconds(1))
        #expect(task.state == .running)
        clock.advance(by: .seconds(1))
        #expect(try await task.text == "here")
    }
}
