import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Bodies in the log")
struct BodyLogTests {
    private let pipe = Pipe()
    private let stub = StubDataSource()
    private let events = Recorder<LogEvent>()

    /// A service whose log writes everything.
    private func service(_ level: LogEvent.Level = .debug, bodies: Bool = true) -> WebService {
        var service = WebService.test(stub)
        let log = LineWriter(pipe.fileHandleForWriting).log(level, bodies: bodies)
        service.log = { [events] event in
            log(event)
            events.append(event)
        }
        return service
    }

    /// The lines that were written, without their common prefix.
    private func lines() throws -> [String] {
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return try text.split(separator: "\n").map { line in
            let words = line.split(separator: " ", maxSplits: 2)
            #expect(words.first == "Swallow:" && words.count == 3)
            return String(try #require(words.last))
        }
    }

    @Test(
        "The curl command and both bodies are written without secrets, in the order of sending and receiving"
    )
    func order() async throws {
        stub.stub(.POST, "/login", .json(["token": "t0ken", "name": "Ann"]))
        let body: JSON = ["user": "ann", "password": "s3cret"]
        _ = try await service().POST("/login", options: [.json(body)]).json
        let lines = try lines()
        let marked = lines.filter { line in ["$ ", "> ", "< "].contains { line.hasPrefix($0) } }
        #expect(marked.count == 3)
        #expect(marked.first?.hasPrefix("$ curl --globoff --request POST ") == true)
        #expect(marked.first?.contains(#""user":"ann""#) == true)
        #expect(marked.dropFirst().first == #"> {"user":"ann","password":"<redacted>"}"#)
        #expect(marked.last == #"< {"token":"<redacted>","name":"Ann"}"#)
        #expect(!lines.joined().contains("s3cret") && !lines.joined().contains("t0ken"))
        let sent = try #require(lines.firstIndex { $0.hasSuffix(" sent") })
        let answered = try #require(lines.firstIndex { $0.contains(" answered 200") })
        #expect(lines[sent + 1].hasPrefix("> ") && lines[answered + 1].hasPrefix("< ") && sent < answered)
    }

    @Test("The body of the last attempt follows the retries")
    func retry() async throws {
        stub.stub(.PUT, "/a", .sequence([.status(503), .json([1])]))
        let clock = ManualClock()
        var service = service(.info)
        service.clock = clock
        service.configure { $0.retry = RetryPolicy() }
        let task = service.PUT("/a", options: [.json([2] as JSON)])
        await clock.run(until: task)
        _ = try await task.json
        let lines = try lines().map { $0.prefix(2) == "PU" ? String($0.suffix(4)) : $0 }
        #expect(lines.count == 5)
        #expect(lines.first == "sent" && lines[1] == "> [2]" && lines.last == "< [1]")
    }

    @Test("Without bodies, the log has one line for each event")
    func none() async throws {
        stub.stub(.POST, "/a", .json([1]))
        _ = try await service(bodies: false).POST("/a", options: [.json([2] as JSON)]).json
        #expect(try lines().count == events.values.count)
    }

    @Test(
        "JSON and forms are redacted, and only the size of other bodies is written",
        arguments: [
            ("application/x-www-form-urlencoded", "a=1&password=s3cret", "> a=1&password=<redacted>"),
            ("application/json", #"{"a": "s3cret""#, "> <redacted>"),
            (
                "application/problem+json; charset=utf-8", #"{"password": "s3cret"}"#,
                #"> {"password":"<redacted>"}"#
            ),
            ("text/plain", "s3cret", "> (6 bytes of text/plain)"),
            ("multipart/form-data; boundary=b", "s3cret", "> <redacted>"),
            ("application/json", "", nil),
        ])
    func kinds(type: String, body: String, line: String?) async throws {
        stub.stub(.POST, "/a", .status(204))
        _ = await service(.info).POST("/a", options: [.body(Data(body.utf8), contentType: type)]).result
        let lines = try lines()
        #expect(lines.first { $0.hasPrefix("> ") } == line)
        #expect(!lines.joined().contains("s3cret"))
    }

    @Test("For a streamed body, the log has only its content type")
    func stream() async throws {
        stub.stub(.POST, "/a", .status(204))
        let body = Request.Option.body(
            stream: { InputStream(data: Data("[1]".utf8)) }, contentType: "application/json")
        _ = await service(.info).POST("/a", options: [body]).result
        #expect(try lines().contains("> (a stream of application/json)"))
    }

    @Test("Long bodies are truncated")
    func limit() async throws {
        let text = String(repeating: "ä", count: 50_000)
        stub.stub(.GET, "/a", .json(["text": .string(text)]))
        _ = try await service(.info).GET("/a").json
        let line = try #require(try lines().first { $0.hasPrefix("< ") })
        #expect(line.hasPrefix(#"< {"text":"ää"#) && line.hasSuffix("ä… (95915 more bytes)"))
        #expect(line.utf8.count < LogEvent.shownBytes + 50)
    }

    @Test("Each line of a body has a prefix, and a body can't forge a log line")
    func lineBreaks() async throws {
        let body = "{\n \"a\": \"\u{1B}[31m\u{202E}\"\r\n}"
        stub.stub(
            .GET, "/a", .data(Data(body.utf8), contentType: "application/json"))
        _ = try await service(.info).GET("/a").data
        let lines = try lines()
        #expect(!lines.joined().unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
        #expect(lines.drop { !$0.hasPrefix("< ") }.allSatisfy { $0.hasPrefix("< ") || $0.hasPrefix("GET ") })
    }

    @Test("An event has the redacted bodies and the curl command")
    func values() async throws {
        stub.stub(.POST, "/a", .json(["token": "t0ken"]))
        let task = service().POST("/a", options: [.json(["password": "s3cret"] as JSON)])
        _ = try await task.json
        let request = try #require(events.values.compactMap(\.request).last)
        #expect(request.bodyText == #"{"password":"<redacted>"}"#)
        #expect(request.curlCommand == task.curlCommand)
        let responses = events.values.compactMap { event -> LogEvent.Response? in
            if case .responseReceived(_, let response) = event { response } else { nil }
        }
        #expect(responses.map(\.bodyText) == [#"{"token":"<redacted>"}"#])
        var text = ""
        for event in events.values { dump(event, to: &text) }
        #expect(!text.contains("s3cret") && !text.contains("t0ken"))
        #expect(!"\(events.values)".contains("s3cret"))
    }

    @Test("Events keep no body larger than 1 MB")
    func largest() throws {
        for (count, isLogged) in [(LoggedMessage.largestBody, true), (LoggedMessage.largestBody + 1, false)] {
            let body = Data("\"\(String(repeating: "a", count: count - 2))\"".utf8)
            let headers = ["Content-Type": "application/json"]
            let request = try LogEvent.Request(
                "https://host.example/", method: "PUT", headers: headers, body: body)
            #expect((request.bodyText != nil) == isLogged && (request.curlCommand != nil) == isLogged)
            #expect(request.bodyByteCount == count)
        }
    }
}
