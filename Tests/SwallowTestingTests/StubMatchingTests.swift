import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Choosing a request's stub")
struct StubMatchingTests {
    private let stub = StubDataSource()

    /// The status of the stub that responds, or `nil` if no stub matches.
    private func status(of request: URLRequest) -> Int? {
        let exchange = Call(request, stub)
        exchange.task.resume()
        return exchange.outcomes.first?.status
    }

    @Test("A stub matches only its method")
    func method() throws {
        stub.stub(.GET, "/stores", .status(200)).stub(.POST, "/stores", .status(201))
        stub.stub("PURGE", "/stores", .status(202))
        #expect(status(of: try .test(.GET)) == 200)
        #expect(status(of: try .test(.POST)) == 201)
        #expect(status(of: try .test("PURGE")) == 202)
        #expect(status(of: try .test(.PUT)) == nil)
    }

    @Test(
        "A path matches below any base URL",
        arguments: [
            "http://service.test", "http://service.test/", "http://service.test/v1",
            "http://service.test/v1/", "https://service.test:8443/a/stores?key=1",
        ])
    func bases(base: String) async throws {
        stub.stub(.GET, "/stores/*", .text("one")).stub(.GET, "stores", .text("all"))
        stub.stub(.GET, "/stores/**/staff", .text("staff"))
        let service = WebService.test(stub, base: base)
        #expect(try await service.GET("/stores").text == "all")
        #expect(try await service.GET("stores?zip=15217").text == "all")
        #expect(try await service.GET("/stores/41").text == "one")
        #expect(try await service.GET("/stores/41/night/staff").text == "staff")
    }

    @Test(
        "A path matches only complete segments, up to the end",
        arguments: ["/bookstores", "/stores/41", "/stores/", "/stores.json", "/"])
    func boundaries(path: String) throws {
        stub.stub(.GET, "/stores", .status(200))
        #expect(status(of: try .test(.GET, Request.Path(path))) == nil)
    }

    @Test("A stub without a path responds to every request, unless a later stub matches")
    func everything() async throws {
        stub.stub(.json([])).stub(.GET, "/stores/41", .text("one"))
        let service = WebService.test(stub)
        #expect(try await service.GET("/stores").json == [])
        #expect(try await service.POST("/stores/41").json == [])
        #expect(try await service.GET("/stores/41").text == "one")
        try stub.verify()
        stub.stub(.status(503))
        #expect(await service.GET("/stores/41").error?.isServerError == true)
    }

    @Test("An unused stub for every request is reported, unless a later one replaced it")
    func unusedEverything() async throws {
        stub.stub(.json([])).stub(.json([])).stub(.GET, "/a", .text("a"))
        #expect(try await WebService.test(stub).GET("/a").text == "a")
        #expect(stub.unusedStubs == ["any request"])
    }

    @Test("A slash matches only the root of the host")
    func root() throws {
        stub.stub(.GET, "/", .status(200))
        #expect(status(of: try .test(.GET, "")) == 200)
        #expect(status(of: try .test(.GET, "/")) == 200)
        #expect(status(of: try .test(.GET, "/stores/")) == nil)
    }

    @Test(
        "An interpolated value is one segment, and a star in it is only a star",
        arguments: ["7", "a b", "x/y", "*", "é%"])
    func interpolation(name: String) throws {
        let id = 41
        stub.stub(.GET, "/n/*", .status(201)).stub(.GET, "/n/\(name)", .status(202))
        stub.stub(.GET, "/\(id)/\(raw: "*")/\("c" as Request.Path)?q=\(id)", .status(203))
        #expect(status(of: try .test(.GET, "/n/\(name)")) == 202)
        #expect(status(of: try .test(.GET, "/n/other")) == 201)
        #expect(status(of: try .test(.GET, "/41/b/c?q=41")) == 203)
        #expect(status(of: try .test(.GET, "/41/b/c?q=42")) == nil)
    }

    @Test("A pattern can be a complete URL or a closure")
    func patterns() throws {
        stub.stub(.GET, "http://service.test/stores", .status(201))
        stub.stub(.GET, .matching { $0.pathExtension == "xml" }, .status(202))
        #expect(status(of: try .test(.GET, "/stores")) == 201)
        #expect(status(of: try .test(.GET, "/stores.xml")) == 202)
        #expect(status(of: try .test(.GET, "/v1/stores")) == nil)
    }

    @Test(
        "Query items are compared in decoded form, and other items are ignored",
        arguments: [
            ("/stores?zip=15217", true), ("/stores?a=1&zip=15217&b=2", true), ("/stores?zip=%31%35217", true),
            ("/stores?zip=1&zip=15217", true), ("/stores?zip=152170", false), ("/stores?ZIP=15217", false),
            ("/stores", false),
        ])
    func query(path: String, isMatch: Bool) throws {
        stub.stub(.GET, "/stores", query: ["zip": "15217"], .status(200))
        #expect(status(of: try .test(.GET, Request.Path(path))) == (isMatch ? 200 : nil))
    }

    @Test("Query items match the parameters that a request is created with")
    func parameters() async throws {
        stub.stub(
            .GET, "/stores", query: ["name": "Käse & Söhne + 1", "tags[]": "24h", "open": ""], .text("found"))
        let text = try await WebService.test(stub)
            .GET("/stores?open", parameters: ["name": "Käse & Söhne + 1", "tags": ["café", "24h"]]).text
        #expect(text == "found")
    }

    @Test("Header fields are compared, and their names case-insensitively")
    func headers() throws {
        stub.stub(.GET, "/stores", headers: [.accept: "text/csv", "X-Part": "a"], .status(200))
        func answer(_ options: Request.Option...) throws -> Int? { status(of: try .test(options: options)) }
        #expect(
            try answer(.header("ACCEPT", "text/csv"), .header("x-part", "a"), .header("X-Other", "b")) == 200)
        #expect(try answer(.header("Accept", "text/csv"), .header("X-Part", "b")) == nil)
        #expect(try answer(.header("Accept", "text/csv")) == nil)
    }

    @Test("A closure that receives the body can reject it by throwing")
    func body() throws {
        stub.stub(.POST, "/stores", body: { try JSON(parsing: $0)["name"].string == "Hill" }, .status(201))
        func answer(_ body: String?) throws -> Int? {
            var options: [Request.Option] = []
            if let body { options = [.body(Data(body.utf8), contentType: "application/json")] }
            return status(of: try .test(.POST, options: options))
        }
        #expect(try answer(#"{"name":"Hill"}"#) == 201)
        #expect(try answer(#"{"name":"Oakland"}"#) == nil)
        #expect(try answer("no JSON") == nil)
        #expect(try answer(nil) == nil)
    }

    @Test("All conditions of a stub must match")
    func allMatchers() throws {
        stub.stub(
            .POST, "/stores", query: ["a": "1"], headers: ["X-Part": "a"], body: { $0.isEmpty }, .status(201))
        #expect(status(of: try .test(.POST, "/stores?a=1", options: [.header("X-Part", "a")])) == 201)
        #expect(status(of: try .test(.POST, "/stores?a=2", options: [.header("X-Part", "a")])) == nil)
        #expect(status(of: try .test(.POST, "/stores?a=1")) == nil)
    }

    @Test("A closure can decide about the complete request")
    func closure() throws {
        stub.stub(.status(202), when: { $0.value(forHTTPHeaderField: "X-Part") == "a" })
        #expect(status(of: try .test(options: [.header("X-Part", "a")])) == 202)
        #expect(status(of: try .test()) == nil)
    }

    @Test("The stub added last takes precedence, even over a more specific one")
    func precedence() throws {
        stub.stub(.GET, "/stores", .status(201))
        stub.stub(.GET, "/stores", query: ["zip": "1"], .status(202))
        #expect(status(of: try .test(.GET, "/stores?zip=1")) == 202)
        #expect(status(of: try .test(.GET, "/stores?zip=2")) == 201)
        stub.stub(.status(203), when: { _ in true })
        #expect(status(of: try .test(.GET, "/stores?zip=1")) == 203)
    }

    @Test("A request without a matching stub fails, and the error lists the stubs and the differences")
    func unmatched() async throws {
        stub.stub(.GET, "/stores/*", .status(200))
        stub.stub(
            .GET, "/stores", query: ["zip": "15217", "a": "1"], headers: [.accept: "text/csv"], .status(200))
        stub.stub(.POST, "/stores", body: { _ in false }, .status(200))
        stub.stub(.status(200), when: { _ in false })
        let error = await failure { () throws(ServiceError) in
            try await WebService.test(stub).POST("/stores?zip=99999").data
        }
        #expect(error?.reason == .invalidRequest)
        let text = try #require(error.map { "\($0)" })
        #expect(
            text.contains(
                """
                no stub matches POST http://service.test/stores?zip=99999: tried a closure (the closure returned false); \
                POST /stores with a specific body (the body doesn't match); \
                GET /stores/* (method: stubbed GET, sent POST; path: sent /stores); \
                GET /stores?a=1&zip=15217 with Accept: text/csv (method: stubbed GET, sent POST; a: sent none; \
                zip: sent 99999; Accept: sent application/json, text/*;q=0.9, */*;q=0.5)
                """))
        #expect(stub.requests.count == 1)
    }

    @Test("Each closure of a stub is called once for a request that no stub matches")
    func askedOnce() throws {
        let asked = Recorder<String>()
        @Sendable func ask(_ name: String, _ answer: Bool) -> Bool {
            asked.append(name)
            return answer
        }
        stub.stub(.status(200), when: { _ in ask("closure", false) })
        stub.stub(.GET, "/stores", body: { _ in ask("body", false) }, .status(200))
        stub.stub(.GET, .matching { _ in ask("path", false) }, .status(200))
        stub.stub(.GET, .matching { _ in ask("good path", true) }, query: ["a": "1"], .status(200))
        stub.stub(
            .POST, .matching { _ in ask("other path", false) }, body: { _ in ask("other", true) },
            .status(200))
        let exchange = Call(try .test(), stub)
        exchange.task.resume()
        #expect(exchange.outcomes.first?.error is ServiceError)
        #expect(
            asked.values.sorted() == ["body", "closure", "good path", "other", "other path", "path"])
    }

    @Test("The error of a request without a matching stub redacts secret fields")
    func secretFields() throws {
        stub.stub(.GET, "/stores", headers: ["X-Api-Key": "a", "X-Part": "b"], .status(200))
        let fields: [Request.Option] = [.header("X-Api-Key", "s3cret"), .header("X-Part", "c")]
        let exchange = Call(try .test(options: fields), stub)
        exchange.task.resume()
        let text = exchange.outcomes.first?.error.map { "\($0)" } ?? ""
        #expect(text.contains("X-Api-Key: sent <redacted>; X-Part: sent c"))
        #expect(!text.contains("s3cret"))
    }

    @Test("Query items in a stub's path must be in the request, in decoded form")
    func queryInPath() throws {
        stub.stub(.GET, "/stores", .status(204))
        stub.stub(.GET, "/stores?zip=1&name=a%20b", .status(201))
        stub.stub(.GET, "/stores?zip=2", query: ["open": "1"], .status(202))
        #expect(status(of: try .test(.GET, "/stores?name=a%20b&x=y&zip=1")) == 201)
        #expect(status(of: try .test(.GET, "/stores?zip=1")) == 204)
        #expect(status(of: try .test(.GET, "/stores?zip=2")) == 204)
        #expect(status(of: try .test(.GET, "/stores?zip=2&open=1")) == 202)
        let exchange = Call(try .test(.GET, "/x"), stub)
        exchange.task.resume()
        let text = exchange.outcomes.first?.error.map { "\($0)" } ?? ""
        #expect(
            text.contains(
                "tried GET /stores (path: sent /x); GET /stores?zip=2&open=1 (path: sent /x; zip: sent none;")
        )
    }

    @Test("The error of a request to a data source without stubs states that there are none")
    func noStubs() throws {
        let exchange = Call(try .test(), stub)
        exchange.task.resume()
        let error = try #require(exchange.outcomes.first?.error as? ServiceError)
        #expect(
            "\(error)".contains(
                "no stub matches GET http://service.test/stores: the data source has no stubs"))
    }

    @Test("Instances share nothing")
    func independence() throws {
        let other = StubDataSource()
        let response = StubResponse.sequence([.status(201), .status(202)])
        stub.stub(.GET, "/stores", response)
        #expect(status(of: try .test()) == 201)
        #expect(other.requests.isEmpty)
        let unmatched = Call(try .test(), other)
        unmatched.task.resume()
        #expect(unmatched.outcomes.first?.error is ServiceError)

        other.stub(.GET, "/stores", response)
        let exchange = Call(try .test(), other)
        exchange.task.resume()
        #expect(exchange.outcomes.first?.status == 201)
        #expect(status(of: try .test()) == 202)
        #expect(stub.requests.count == 2)
        #expect(other.requests.count == 2)
    }
}
