import Foundation
import LoopbackServer
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Descriptions of errors")
struct ErrorMessageTests {
    private func message(_ task: ServiceTask) async -> String {
        guard case .failure(let error) = await task.result else { return "a success" }
        return "\(error)"
    }

    private func answer(
        _ body: Data, _ type: String, status: Int = 422, configure: (inout WebService) -> Void = { _ in }
    ) -> ServiceTask {
        let source = ManualDataSource(answersInResume: { exchange in
            let head = exchange.response(status: status, headers: ["Content-Type": type])
            exchange.complete(data: body, response: head)
        })
        var service = WebService.test(source)
        configure(&service)
        return service.GET("/")
    }

    @Test(
        "The description of a refused connection begins with the transport's message",
        arguments: Contestant.transports)
    func refused(contestant: Contestant) async throws {
        let port = try ClosedPort()
        let service = WebService.test(contestant.source(), base: port.baseURLString)
        let message = await message(service.GET("/a"))
        let words = try #require(
            message.wholeMatch(of: /transport: ([^(]+) \(URLError -1004\) \(GET .*\/a\)/)
        ).1
        #expect(words.lowercased().contains("connect"), "\(message)")
        #expect(!message.contains("Code=") && !message.contains("UserInfo") && !message.contains("null"))
    }

    @Test("The description of a system error has the system's message")
    func systemError() async {
        let source = ManualDataSource(answersInResume: { $0.complete(error: POSIXError(.ECONNREFUSED)) })
        let message = await message(WebService.test(source).GET("/a"))
        #expect(message.contains("refused") && !message.contains("Domain"), "\(message)")
    }

    @Test("A transport error without a message has a standard message")
    func wordless() async {
        let source = ManualDataSource(answersInResume: { $0.complete(error: URLError(.cannotConnectToHost)) })
        #expect(
            await message(WebService.test(source).GET("/a"))
                == "transport: The server could not be reached. (URLError -1004) (GET http://service.test/a)")
    }

    @Test("The description of a request's timeout states its duration")
    func requestTimeout() async {
        let service = WebService.test(ManualDataSource())
        let message = await message(service.GET("/a", options: [.timeout(.milliseconds(20))]))
        #expect(
            message.hasPrefix("timedOut: the request's timeout of 0.02 seconds has passed (GET "),
            "\(message)")
    }

    @Test("The description of a timeout without a byte states the duration", arguments: Contestant.transports)
    func idleTimeout(contestant: Contestant) async throws {
        let server = try LoopbackServer()
        var service = WebService.test(contestant.source(), base: server.baseURLString)
        service.configure { $0.adaptRequest { $0.timeoutInterval = 1 } }
        let message = await message(service.GET("/fault/stall"))
        #expect(message.hasPrefix("timedOut: no byte arrived for 1.0 seconds (URLError -1001)"), "\(message)")
    }

    @Test("The description of a data source's timeout for the complete request states its duration")
    func totalTimeout() async throws {
        let server = try LoopbackServer()
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForResource = 0.05
        let source = URLSessionDataSource(configuration: configuration)
        // Even on a slow machine, no other timeout must pass first.
        let service = WebService.test(source, base: server.baseURLString)
        let message = await message(service.GET("/fault/stall", options: [.timeout(.century)]))
        let words = "timedOut: the data source's timeout of 0.05 seconds for the complete request has passed"
        #expect(message.hasPrefix(words), "\(message)")
    }

    @Test(
        "The description of a session's timeout states which one has passed",
        arguments: [
            (0.5, "the data source's timeout of 0.5 seconds for the complete request has passed"),
            (1e6, "no byte arrived for 1.0 seconds"),
        ])
    func sessionTimeout(total: TimeInterval, words: String) async throws {
        let server = try LoopbackServer()
        let configuration = URLSessionConfiguration.default
        // On Linux, a session has only a timer for the time without a byte.
        configuration.timeoutIntervalForRequest = 1
        configuration.timeoutIntervalForResource = total
        let source = URLSessionDataSource(configuration: configuration)
        var service = WebService.test(source, base: server.baseURLString)
        service.clock = ManualClock()
        let message = await message(service.GET("/fault/stall"))
        #expect(message.hasPrefix("timedOut: \(words) (URLError -1001)"), "\(message)")
    }

    @Test(
        "A status error shows the beginning of a JSON body on one line and without secrets",
        arguments: [
            (#"{"message": "no"}"#, "application/json", #"{"message":"no"}"#),
            (#"{"message": "no"}"#, "text/plain", #"{"message":"no"}"#),
            (#"{"message""#, "application/problem+json", "<redacted>"),
            (#"{"token" : "s3cret"#, "application/json", "<redacted>"),
            (#"{"secret": {"b": "s3cret"}, "c": 1}"#, "text/plain", #"{"secret":"<redacted>","c":1}"#),
            (#"{"api_key": 12345, "b": 2}"#, "text/html", #"{"api_key":"<redacted>","b":2}"#),
            (
                "[\"\(String(repeating: "é", count: 300))\"]", "application/json",
                "[\"\(String(repeating: "é", count: 99))…"
            ),
            ("zip=a&access_token=b", "application/x-www-form-urlencoded", "zip=a&access_token=<redacted>"),
            ("data: a\n\ndata: b\n\n", "text/event-stream", "data: a data: b"),
        ])
    func statusBody(body: String, type: String, excerpt: String) async {
        #expect(
            await message(answer(Data(body.utf8), type))
                == "unacceptableStatus (GET http://service.test/) [status 422]: \(excerpt)")
    }

    @Test(
        "A status error shows no body of an unknown format",
        arguments: ["image/png", "application/octet-stream", "text/plain", "text/html"])
    func otherBody(type: String) async {
        for body in ["secret", #"{"secret": {"b": "s3cret", "c": 1"#, "see http://user:pass@h.test/"] {
            #expect(
                await message(answer(Data(body.utf8), type))
                    == "unacceptableStatus (GET http://service.test/) [status 422]")
        }
    }

    @Test("The log redacts the body of a status error before any parser has read it")
    func redactedLog() async {
        let events = Recorder<String>()
        let task = answer(Data(#"{"password": "s3cret", "a": 1}"#.utf8), "application/json") { service in
            service.log = { if case .failed = $0 { events.append("\($0)") } }
        }
        _ = await task.result
        #expect(events.values.count == 1)
        #expect(events.values.first?.hasSuffix(#"{"password":"<redacted>","a":1}"#) == true)
    }

    @Test("Secrets in the body of a status error are redacted")
    func redactedBody() async {
        let json = Data(
            #"{"message":"no","users":[{"name":"ada","password":"abc"}],"token":{"value":"abc"}}"#.utf8)
        #expect(
            await message(answer(json, "application/json")).hasSuffix(
                #"{"message":"no","users":[{"name":"ada","password":"<redacted>"}],"token":"<redacted>"}"#))
        let events = Recorder<LogEvent>()
        let task = answer(Data(#"["see /?ticket=abc"]"#.utf8), "application/json") { service in
            service.log = { if case .failed = $0 { events.append($0) } }
            service.logRedaction = .standard.adding(["ticket"])
        }
        _ = await task.result
        #expect(events.values.first?.description.hasSuffix(#"["see /?ticket=<redacted>"]"#) == true)
    }

    @Test("A content mismatch names the stage whose transformer produced the content")
    func mismatch() async {
        let parsed = await message(
            answer(Data("<menu/>".utf8), "text/xml", status: 200) { service in
                service.configureTransformer { (entity: Entity<Data>) in entity.content.count }
            })
        #expect(
            parsed.hasPrefix(
                "contentMismatch (expected Data, got String): Data → Int; the String is from text in the stage \"parsing\""
            ),
            "\(parsed)")
        let task = answer(Data("[1]".utf8), "application/json", status: 200) { service in
            service.configureTransformer(description: "count") { (entity: Entity<JSON>) in
                entity.content.count
            }
        }
        for read in [{ _ = try await task.content(as: String.self) }] {
            let error = await #expect(throws: ServiceError.self) { try await read() }
            #expect("\(error, default: "none")".contains("the Int is from count in the stage \"model\""))
        }
    }

    @Test("A content mismatch names the standard parser that produced the content, but no stage if none ran")
    func lazyMismatch() async {
        let json = answer(Data("[1]".utf8), "application/json", status: 200)
        let error = await #expect(throws: ServiceError.self) { try await json.content(as: Int.self) }
        #expect(
            "\(error, default: "none")".contains(
                "the content isn't of type Int, use decoded(as: Int.self) instead; "))
        #expect("\(error, default: "none")".contains("the JSON is from json in the stage \"parsing\""))
        let bytes = answer(Data("[1]".utf8), "application/octet-stream", status: 200)
        let other = await #expect(throws: ServiceError.self) { try await bytes.content(as: Int.self) }
        #expect("\(other, default: "none")".contains("got Data): the content isn't of type Int (GET "))
    }

    @Test("An error has the same query as the log, with secrets redacted")
    func query() async throws {
        let events = Recorder<LogEvent>()
        var service = WebService.test(
            ManualDataSource(answersInResume: { $0.complete(error: URLError(.timedOut)) }))
        service.log = { events.append($0) }
        let task = service.GET(
            "/a", parameters: ["zip": "1 2", "api_key": "s3cret"], options: [.query(["b": 1])])
        guard case .failure(let error) = await task.result else { throw AppError() }
        #expect("\(error)".hasSuffix("(GET http://service.test/a?b=1&zip=1%202&api_key=<redacted>)"))
        #expect(events.values.first?.request?.url == "http://service.test/a?b=1&zip=1%202&api_key=<redacted>")
    }

    @Test("The error of a body that is set twice names both settings")
    func owners() async {
        let service = WebService.test(ManualDataSource())
        let task = service.POST("/a", parameters: ["b": 1], options: [.json(["c": 2])])
        #expect(await message(task).contains("the body is set more than once, by parameters and .json"))
    }

    @Test("The error for a fraction expects an integer, and the error for a large number states the range")
    func integers() throws {
        let failure = #expect(throws: DecodingFailure.self) { try Decoding.int.value(from: "1.5") }
        #expect("\(failure, default: "none")" == "$: expected integer, found number 1.5")
        let large = #expect(throws: DecodingFailure.self) { try Decoding.int.value(from: "1e30") }
        #expect("\(large, default: "none")" == "$: expected integer within Int's range, found number 1e30")
    }
}
