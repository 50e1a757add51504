import Foundation
import LoopbackServer
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Redirects")
struct RedirectTests {
    private let server: LoopbackServer
    private let service: WebService

    init() throws {
        server = try LoopbackServer()
        service = WebService(baseURLString: server.baseURLString)
    }

    private func service(_ policy: RedirectPolicy) -> WebService {
        WebService(
            baseURLString: server.baseURLString, dataSource: URLSessionDataSource(redirectPolicy: policy))
    }

    @Test("A chain of redirects with relative locations is followed to its end")
    func chain() async throws {
        let task = service.GET("/redirect/5")
        #expect(try await task.json["path"] == "/echo")
        #expect(try await task.result.get().headers[.contentType] == "application/json")
        #expect(server.requests.count == 6)
    }

    @Test(
        "301, 302 and 303 change POST to GET without a body, and 307 and 308 keep both",
        arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
    func post(status: Int, method: String) async throws {
        let task = service.POST("/redirect-to?url=/echo&status=\(status)", parameters: ["a": "b"])
        let json = try await task.json
        #expect(json["method"].string == method)
        #expect(json["form"]["a"].string == (method == "POST" ? "b" : nil))
        #expect(json["headers"]["content-type"].exists == (method == "POST"))
    }

    @Test("A redirect that changes the method to GET drops the body, even a streamed one")
    func streamedBody() throws {
        let url = try #require(URL(string: "http://h/a"))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("a".utf8))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 303, httpVersion: nil, headerFields: ["Location": "/b"]))
        let next = try RedirectPolicy.follow().request(after: response, to: request, count: 0)
        #expect(next?.httpMethod == "GET" && next?.httpBodyStream == nil && next?.httpBody == nil)
    }

    @Test(
        "A 301 keeps PUT and its body, and a 303 changes PUT to GET",
        arguments: [(301, "PUT"), (303, "GET")])
    func put(status: Int, method: String) async throws {
        let task = service.PUT("/redirect-to?url=/echo&status=\(status)", options: [.json(["a": 1])])
        let json = try await task.json
        #expect(json["method"].string == method)
        #expect(json["json"]["a"].int == (method == "PUT" ? 1 : nil))
    }

    @Test("Secret headers are sent only to the same origin")
    func headersAcrossOrigins() async throws {
        let other = try LoopbackServer()
        var service = service
        service.configure { configuration in
            configuration.headers = [
                "Authorization": "secret", "Cookie": "a=b", "X-Key": "secret", "User-Agent": "Swallow/1",
                "Accept-Language": "de",
            ]
        }
        let same = try await service.GET("/redirect-to?url=/echo").json["headers"]
        #expect(same["authorization"] == "secret")
        #expect(same["x-key"] == "secret")

        let path = Request.Path("/redirect-to?status=307&url=\(other.baseURLString)/echo")
        let foreign = try await service.POST(path, parameters: ["a": "b"]).json
        for name in ["authorization", "cookie", "x-key"] { #expect(!foreign["headers"][name].exists) }
        #expect(foreign["headers"]["user-agent"] == "Swallow/1")
        #expect(foreign["headers"]["accept-language"] == "de")
        #expect(foreign["headers"]["content-type"] == "application/x-www-form-urlencoded")
        #expect(foreign["form"]["a"] == "b")
    }

    @Test("A redirect back to the first origin doesn't restore the removed fields")
    func thereAndBack() async throws {
        let other = try LoopbackServer { [home = server.baseURLString] _ in
            .respond(.redirect(to: home + "/echo"))
        }
        var service = service
        service.configure { $0.headers["Authorization"] = "secret" }
        let json = try await service.GET(Request.Path("/redirect-to?url=\(other.baseURLString)/")).json
        #expect(!json["headers"]["authorization"].exists)
    }

    @Test("One redirect more than the policy allows fails")
    func tooMany() async throws {
        #expect(try await service(.follow(max: 3)).GET("/redirect/3").json["path"] == "/echo")
        await #expect { try await service(.follow(max: 3)).GET("/redirect/4").json } throws: {
            ($0 as? ServiceError)?.transportCode == .httpTooManyRedirects
        }
    }

    @Test("doNotFollow returns the redirect itself as the response")
    func doNotFollow() async throws {
        let task = service(.doNotFollow).GET("/redirect/1", options: [.acceptableStatusCodes(200..<400)])
        let entity = try await task.result.get()
        #expect(entity.headers[.location] == "/redirect/0" || entity.headers[.location] == "/echo")
        #expect(server.requests.count == 1)
    }

    @Test("A redirect that isn't followed may have a location with any scheme")
    func foreignScheme() async throws {
        let server = try LoopbackServer { _ in .respond(.redirect(to: "myapp://callback?code=1")) }
        for policy in [RedirectPolicy.doNotFollow, .custom { _, proposed in proposed }] {
            let source = URLSessionDataSource(redirectPolicy: policy)
            let service = WebService(baseURLString: server.baseURLString, dataSource: source)
            let result = await service.GET("/", options: [.acceptableStatusCodes(300..<400)]).result
            #expect(try result.get().headers[.location] == "myapp://callback?code=1")
        }
    }

    @Test("If a custom policy chooses another origin, it receives only the fields that the policy has set")
    func customOrigin() throws {
        let policy = RedirectPolicy.custom { _, proposed in
            var next = proposed
            next.url = URL(string: "https://mirror.example.org/b")
            next.setValue("1", forHTTPHeaderField: "X-Mirror")
            return next
        }
        let url = try #require(URL(string: "https://example.com/a"))
        var request = URLRequest(url: url)
        request.allHTTPHeaderFields = ["Authorization": "secret", "Range": "bytes=0-9", "X-Key": "1"]
        let fields = ["Location": "/b"]
        let redirect = HTTPURLResponse(url: url, statusCode: 302, httpVersion: nil, headerFields: fields)
        let response = try #require(redirect)
        let next = try #require(try policy.request(after: response, to: request, count: 0))
        #expect(next.allHTTPHeaderFields == ["Range": "bytes=0-9", "X-Mirror": "1"])
    }

    @Test("A custom policy can change or reject the request that would follow")
    func custom() async throws {
        let policy = RedirectPolicy.custom { response, proposed in
            var request = proposed
            request.setValue("\(response.statusCode)", forHTTPHeaderField: "X-Redirected-By")
            return request
        }
        #expect(try await service(policy).GET("/redirect/1").json["headers"]["x-redirected-by"] == "302")
        let error = await service(.custom { _, _ in nil }).GET("/redirect/1").result
        #expect(throws: ServiceError.self) { try error.get() }
    }

    @Test(
        "A location that can't be followed fails",
        arguments: ["ftp://127.0.0.1/x", "mailto:a@b", "http://", "file:///etc/passwd"])
    func badLocation(location: String) async throws {
        let server = try LoopbackServer { _ in .respond(.redirect(to: location)) }
        let result = await WebService(baseURLString: server.baseURLString).GET("/").result
        #expect { try result.get() } throws: {
            ($0 as? ServiceError)?.transportCode == .redirectToNonExistentLocation
        }
    }

    @Test("A redirect from https to http fails unless it is allowed")
    func downgrade() throws {
        let url = try #require(URL(string: "https://a.test/x"))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 302, httpVersion: nil, headerFields: ["Location": "http://a.test/y"]))
        let request = URLRequest(url: url)
        #expect { try RedirectPolicy.follow().request(after: response, to: request, count: 0) } throws: {
            ($0 as? URLError)?.code == .appTransportSecurityRequiresSecureConnection
        }
        let next = try RedirectPolicy.follow(allowsDowngrade: true)
            .request(after: response, to: request, count: 0)
        #expect(next?.url?.absoluteString == "http://a.test/y")
    }
}

extension ServiceError {
    var transportCode: URLError.Code? {
        if case .transport(let error) = reason { error.code } else { nil }
    }
}
