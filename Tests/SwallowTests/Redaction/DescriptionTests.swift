import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Descriptions and dumps of values")
struct DescriptionTests {
    private var service: WebService {
        var service = WebService.test(ManualDataSource(), base: "https://ann:s3cret@h/v1?token=s3cret")
        service.configure { configuration in
            configuration.headers[.authorization] = "s3cret"
            configuration.authenticator = TokenAuthenticator(token: .init("s3cret")) { _ in .init("s3cret") }
        }
        service.startTasksImmediately = false
        return service
    }

    private var task: ServiceTask {
        service.POST(
            "/a?key=s3cret", options: [.query(["q": "tea", "sid": "s3cret"]), .json(["password": "s3cret"])])
    }

    private func error(_ request: Request) throws -> ServiceError {
        let url = try #require(URL(string: "https://ann:s3cret@h/?token=s3cret"))
        let head = HTTPURLResponse(
            url: url, statusCode: 400, httpVersion: nil, headerFields: ["Set-Cookie": "s3cret"])
        let cause = URLError(.badURL, userInfo: [NSURLErrorFailingURLErrorKey: url])
        return ServiceError(
            .transport(cause), request: request, response: head, entity: Entity(content: Data("s3cret".utf8)),
            underlying: cause)
    }

    @Test("Descriptions and dumps contain no secret")
    func secrets() throws {
        let values: [Any] = [
            task, task.request, service, try error(task.request), TokenAuthenticator.Token("s3cret"),
            TokenAuthenticator.Token("s3cret", expires: Date()),
            TokenAuthenticator.Token("s3cret", expiresIn: .seconds(1)),
            TokenAuthenticator(token: .init("s3cret")) { _ in .init("s3cret") },
        ]
        for value in values {
            for value in [value, [value], Optional.some(value) as Any, (1, value)] {
                var dumped = ""
                dump(value, to: &dumped)
                let texts = ["\(value)", String(describing: value), String(reflecting: value), dumped]
                for text in texts { #expect(!text.contains("s3cret"), "\(type(of: value))") }
            }
            let mirror = Mirror(reflecting: value).children.map { "\($0.label ?? "") \($0.value)" }
            #expect(!"\(mirror)".contains("s3cret"))
        }
    }

    @Test("The description of a task and a service names the request and the base URL")
    func names() throws {
        let request = "POST https://h/v1/a?key=<redacted>&q=tea&sid=<redacted>"
        var plain = service
        plain = WebService.test(ManualDataSource(), base: "https://ann:s3cret@h/v1")
        plain.startTasksImmediately = false
        let task = plain.POST("/a?key=s3cret", options: [.query(["q": "tea", "sid": "s3cret"])])
        #expect("\(task.request)" == request)
        #expect("\(task)" == "ServiceTask(\(request))")
        #expect("\(plain)" == "WebService(https://h/v1)")
        #expect("\(TokenAuthenticator.Token("a"))" == "Token(<redacted>)")
        var dumped = ""
        dump(plain.GET("/", options: [.header("X-A", "b"), .header(.cookie, "s3cret")]).request, to: &dumped)
        #expect(dumped.contains("X-A: \"b\"") && dumped.contains("Cookie: \"<redacted>\""))
    }
}
