import Foundation
import LoopbackServer
import Swallow
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Configured headers belong to the base URL's origin")
struct OriginTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let base: String
        let path: String
        var testDescription: String { "\(base) and \(path)" }

        init(_ base: String, _ path: String) {
            self.base = base
            self.path = path
        }
    }

    static let same = [
        Case("http://host", "HTTP://HOST:80"), Case("http://host/v1", "http://host/v2/x"),
        Case("https://host", "https://host:443/x"),
        Case("https://host:443", "https://HOST/x"), Case("http://host:8080", "http://host:8080"),
        Case("http://host:", "http://host:80/"),
        Case("http://[::1]:80", "http://[::1]/x"), Case("http://u:p@host", "http://host/x"),
        Case("http://host", "/x"),
        Case("http://host", "//evil.com/x"), Case("http://host", "http:/evil.com"),
        Case("https://exämple.com", "https://exämple.com/x"),
    ]

    static let other = [
        Case("http://host", "https://host"), Case("https://host", "http://host"),
        Case("http://host", "http://host:8080"),
        Case("http://host:8080", "http://host"), Case("http://host", "http://host.evil.com"),
        Case("http://host", "http://evil.com/host"),
        Case("http://host", "http://host@evil.com"), Case("http://host", "http://host:80@evil.com/"),
        Case("http://host", "http://evilhost"),
        Case("http://host", "http://hos"), Case("http://host", "http://evil.com#@host"),
        Case("http://host", "http://evil.com?@host/"),
        Case("http://host", "http://host."), Case("http://127.0.0.1", "http://localhost"),
        Case("http://[::1]", "http://[::2]"),
        Case("http://example.com", "http://www.example.com"), Case("", "http://host"),
        Case("ftp://host", "http://host"),
        Case("http://host:80", "https://host:80"),
    ]

    @Test("A request to the same origin has them, and is adapted", arguments: same)
    func sameOrigin(_ example: Case) throws {
        #expect(
            try fields(of: service(example.base).sent(Request.Path(example.path))) == ["A": "1", "B": "2"])
    }

    @Test("A request to another origin has none, and isn't adapted", arguments: other)
    func otherOrigin(_ example: Case) throws {
        let request = try service(example.base).sent(Request.Path(example.path))
        #expect(fields(of: request).isEmpty)
    }

    @Test("The request's own headers and the other settings go anywhere")
    func ownHeaders() throws {
        var service = service("http://host")
        service.configure {
            $0.timeout = .seconds(7)
            $0.acceptableStatusCodes = 200..<500
            $0.parameterEncoding = .json
        }
        let task = service.POST("http://other/x", parameters: ["a": 1], options: [.header("Own", "3")])
        #expect(task.request.headers == ["Own": "3"])
        #expect(task.request.timeout == .seconds(7))
        #expect(task.request.acceptableStatusCodes == (200..<500 as StatusCodes))
        #expect(try task.request.urlRequest().bodyText == #"{"a":1}"#)
    }

    @Test("Over real connections another server doesn't get them either")
    func connections() async throws {
        let home = try LoopbackServer()
        let away = try LoopbackServer()
        var service = WebService(baseURLString: home.baseURLString)
        service.configure { $0.headers[.authorization] = "secret" }
        let athome = try await service.GET("\(raw: home.baseURLString)/echo").json
        let abroad = try await service.GET("\(raw: away.baseURLString)/echo").json
        #expect(athome["headers"]["authorization"].string == "secret")
        #expect(abroad["headers"].exists)
        #expect(!abroad["headers"]["authorization"].exists)
    }

    /// The fields but for `Accept`, which goes anywhere.
    private func fields(of request: URLRequest) -> [String: String] {
        (request.allHTTPHeaderFields ?? [:]).filter { $0.key != "Accept" }
    }

    private func service(_ base: String) -> WebService {
        var service = WebService.idle(base)
        service.configure {
            $0.headers["A"] = "1"
            $0.adaptRequest { $0.setValue("2", forHTTPHeaderField: "B") }
        }
        return service
    }
}
