import Foundation
import Swallow
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Options")
struct OptionTests {
    @Test("A request without options has the defaults of a URLRequest")
    func defaults() throws {
        let request = Request(.GET, baseURLString: "http://h")
        #expect(request.acceptableStatusCodes == (200..<300 as StatusCodes))
        #expect(request.timeout == nil)
        #expect(request.handlesCookies)
        #expect(request.headers.isEmpty)
        let sent = try request.urlRequest()
        #expect(sent.httpMethod == "GET")
        #expect(sent.httpShouldHandleCookies)
        #expect(sent.cachePolicy == .useProtocolCachePolicy)
        #expect(sent.timeoutInterval == 60)
    }

    @Test("The last option of a kind counts, and overrides the configuration")
    func precedence() throws {
        var configuration = WebService.Configuration()
        configuration.timeout = .seconds(9)
        configuration.cachePolicy = .reload
        configuration.acceptableStatusCodes = 200..<204
        let configured = Request(.GET, baseURLString: "http://h", configuration: configuration)
        #expect(configured.timeout == .seconds(9))
        #expect(configured.acceptableStatusCodes == (200..<204 as StatusCodes))
        #expect(try configured.urlRequest().cachePolicy == .reloadIgnoringLocalCacheData)

        let request = Request(
            .GET, baseURLString: "http://h",
            options: [
                .timeout(.seconds(1)), .timeout(.seconds(2)), .cachePolicy(.reload), .cachePolicy(.standard),
                .handlesCookies(true),
                .handlesCookies(false), .acceptableStatusCodes(200..<300), .acceptableStatusCodes(404..<405),
            ], configuration: configuration)
        #expect(request.timeout == .seconds(2))
        #expect(request.acceptableStatusCodes == (404..<405 as StatusCodes))
        #expect(try request.urlRequest().cachePolicy == .useProtocolCachePolicy)
        #expect(try !request.urlRequest().httpShouldHandleCookies)
    }

    @Test(
        "The transport's timeout is longer than the request's, and fits 32 bits of milliseconds",
        arguments: [
            Duration.zero, .seconds(-5), .milliseconds(1), .seconds(60), .seconds(3600), .seconds(Int64.max),
            .nanoseconds(1),
        ])
    func timeouts(timeout: Duration) throws {
        let interval = try built(options: [.timeout(timeout)]).timeoutInterval
        #expect(interval >= 60)
        #expect(interval * 1000 < Double(Int32.max))
        #expect(interval > Double(timeout.components.seconds) || timeout > .seconds(86_400))
    }

    @Test("Encoding a request again returns the same bytes")
    func purity() throws {
        let request = Request(
            .POST, baseURLString: "http://h", path: "/x",
            parameters: ["b": [1, 2], "a": ["k": Set(["y", "x"])] as Parameters],
            options: [.header("X", "1"), .query(["q": 1])])
        let first = try request.urlRequest()
        for _ in 0..<20 {
            let next = try request.urlRequest()
            #expect(next == first)
            #expect(next.httpBody == first.httpBody)
        }
    }

    @Test("Accepted status codes decide what is a success", arguments: [(404, true), (200, false)])
    func statusCodes(status: Int, succeeds: Bool) async {
        let source = ManualDataSource(answersInResume: { $0.answer(status: status) })
        let task = WebService.test(source).GET("/", options: [.acceptableStatusCodes(400..<500)])
        switch await task.result {
        case .success: #expect(succeeds)
        case .failure(let error):
            #expect(!succeeds)
            #expect(error.reason == .unacceptableStatus)
            #expect(error.statusCode == status)
        }
    }
}
