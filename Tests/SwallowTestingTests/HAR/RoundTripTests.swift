import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A recorded exchange is replayed")
struct RoundTripTests {
    private let folder = Folder()

    struct Response: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = "GET"
        var status = 200
        var headers: [String: String] = [:]
        var body = Data()
    }

    static let responses = [
        Response(
            testDescription: "text", headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: Data("Grüße\u{0}\r\n\u{FEFF}".utf8)),
        Response(
            testDescription: "JSON", headers: ["Content-Type": "application/json"],
            body: Data(#"{ "id" : 1.0, "name":"\u00e9" }"#.utf8)),
        Response(
            testDescription: "bytes", headers: ["Content-Type": "image/png"],
            body: Data((0...255).map { UInt8($0) })),
        Response(
            testDescription: "another charset", headers: ["Content-Type": "text/html; charset=ISO-8859-1"],
            body: Data([0x47, 0xFC, 0xC3, 0xBC])),
        Response(testDescription: "a byte order mark", body: Data([0xEF, 0xBB, 0xBF, 0x31])),
        Response(testDescription: "no content", status: 204),
        Response(testDescription: "an empty body", headers: ["Content-Length": "0"]),
        Response(
            testDescription: "HEAD", method: "HEAD",
            headers: ["Content-Length": "1234", "Content-Type": "text/plain"]),
        Response(testDescription: "not found", status: 404, body: Data("no".utf8)),
        Response(testDescription: "server error", status: 503, headers: ["Retry-After": "120"]),
        Response(
            testDescription: "repeated fields",
            headers: ["Link": "<a>; rel=\"b\", <c>; rel=\"d\"", "X-Empty": ""]),
        Response(testDescription: "not modified", status: 304, headers: ["ETag": "\"a\""]),
        Response(testDescription: "an unfollowed redirect", status: 302, headers: ["Location": "/elsewhere"]),
        Response(testDescription: "a code of its own", status: 799),
    ]

    @Test("byte for byte", arguments: responses)
    func response(response: Response) async throws {
        let request = URLRequest.to("http://h/a?b=c%20d") { $0.httpMethod = response.method }
        let source = Answering(response.status, response.headers, response.body)
        let (recorded, replayed) = await recordAndReplay(request, source, in: folder)
        #expect(recorded.status == response.status && recorded.data == response.body)
        #expect(replayed == recorded)
        #expect(try folder.har.problems == [])
    }

    @Test(
        "with its failure",
        arguments: [
            URLError.Code.networkConnectionLost, .cannotFindHost, .timedOut, .serverCertificateUntrusted,
            .notConnectedToInternet,
        ])
    func failure(code: URLError.Code) async throws {
        let error = URLError(code, userInfo: [NSLocalizedDescriptionKey: "that didn't work"])
        let (recorded, replayed) = await recordAndReplay(
            .to("http://h/a"), Answering(failing: error), in: folder)
        #expect(recorded.code == code)
        #expect(replayed == recorded)
        #expect(replayed.words == "that didn't work")
    }

    @Test(
        "unless it was cancelled, or never sent",
        arguments: [URLError(.cancelled) as any Error, ServiceError(.invalidRequest)])
    func unrecorded(error: any Error & Sendable) async throws {
        let recording = Answering(failing: error).recording(to: folder.file)
        #expect(await Call(recording).resumed().outcome.error != nil)
        #expect(!FileManager.default.fileExists(atPath: folder.file.path))
    }

    @Test("with the URL that it came from in the end")
    func finalURL() async throws {
        let source = Answering { (Data(), .test($0, 200, url: "http://h/final"), nil) }
        let (recorded, replayed) = await recordAndReplay(.to("http://h/a"), source, in: folder)
        #expect(recorded.url == "http://h/final")
        #expect(replayed == recorded)
    }

    @Test("with a large body in a file beside it, and small ones in it")
    func bodyFile() async throws {
        let body = Data("[\(String(repeating: "1", count: 98))]".utf8)
        let source = Answering { request in
            (
                request.url?.path == "/large" ? body : Data("{}".utf8),
                .test(request, 200, ["Content-Type": "application/json"]), nil
            )
        }
        for path in ["large", "small"] {
            let (recorded, replayed) = await recordAndReplay(
                .to("http://h/\(path)"), source, in: folder, bodiesInFilesOver: 99)
            #expect(replayed == recorded)
        }
        let contents = try folder.har.entries.map(\.response.content)
        let file = try #require(contents[0].file)
        #expect(contents[0].text == nil && contents[0].size == 100)
        #expect(try Data(contentsOf: folder.url.appending(path: file)) == body)
        #expect(file.hasPrefix("test.bodies/") && file.hasSuffix(".json"))
        #expect(contents[1].text == "{}")
    }

    @Test(
        "and no file of another folder is shown for a body",
        arguments: ["../secret", "/etc/hostname", "a/../../b"])
    func foreignFile(name: String) async throws {
        let content = HAR.Content(json: ["size": 4, "_file": .string(name)])
        let entry = HAR.Entry(
            start: .now, request: HAR.Request(method: "GET", url: "http://h/a"),
            response: HAR.Response(status: 200, content: content))
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        try HAR(entries: [entry]).data.write(to: folder.file)
        let replaying = Answering().replaying("test", in: folder.url, mode: .replay)
        let outcome = await Call(replaying).resumed().outcome
        #expect(problem(outcome).contains("isn't in the folder of the recording"))
    }

    @Test("with its request: query, cookies, form and JSON")
    func request() async throws {
        let redaction = HAR.Redaction(LogRedaction(names: [String]()))
        let recording = Answering(
            200, ["Set-Cookie": "s=1; Path=/; HttpOnly, t=2; Expires=Sun, 06 Nov 1994 08:49:37 GMT"]
        )
        .recording(to: folder.file, redacting: redaction)
        let request = URLRequest.to("http://h/a?b=c%20d&e") {
            $0.httpMethod = "POST"
            $0.setValue("x=1; y=2", forHTTPHeaderField: "Cookie")
            $0.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            $0.httpBody = Data("name=Ada+L&t=%26".utf8)
        }
        _ = await Call(request, recording).resumed().outcome
        let entry = try #require(try folder.har.entries.first)
        let pairs = { (fields: [HAR.Field]) in fields.map { "\($0.name)=\($0.value)" } }
        #expect(pairs(entry.request.queryString) == ["b=c d", "e="])
        #expect(entry.request.cookies.map { "\($0.name)=\($0.value)" } == ["x=1", "y=2"])
        #expect(pairs(entry.request.postData?.params ?? []) == ["name=Ada L", "t=&"])
        #expect(entry.request.postData?.data == request.httpBody)
        #expect(entry.response.cookies.map { "\($0.name)=\($0.value)" } == ["s=1", "t=2"])
        #expect(entry.response.cookies.map { $0["expires"].string } == [nil, "1994-11-06T08:49:37.000Z"])
        #expect(try folder.har.problems == [])
    }

    @Test("with its request's body that isn't in memory, where that can be read again")
    func streamedBody() async throws {
        let opened = Recorder<Void>()
        let body = RequestBody.stream {
            opened.append(())
            return InputStream(data: Data("from a stream".utf8))
        }
        let request = URLRequest.to("http://h/a") {
            $0.httpMethod = "PUT"
            $0.streamedBody = body
        }
        let (recorded, replayed) = await recordAndReplay(request, Answering(), in: folder)
        #expect(replayed == recorded)
        #expect(try folder.har.entries[0].request.postData?.text == "from a stream")
        #expect(opened.values.count == 1)
        let byBody = ReplayingDataSource(try folder.har, matching: [.body])
        #expect(Call(request, byBody).resumed().outcomes.map(\.status) == [200])
        #expect(opened.values.count == 2)
    }

    @Test("without its request's body that goes out once, which isn't touched")
    func onceBody() async throws {
        let asked = Recorder<Void>()
        let parts = AsyncStream<Data> {
            asked.append(())
            return nil
        }
        let request = URLRequest.to("http://h/a") {
            $0.httpMethod = "PUT"
            $0.streamedBody = .parts(parts)
        }
        let (recorded, replayed) = await recordAndReplay(request, Answering(), in: folder)
        #expect(replayed == recorded)
        #expect(try folder.har.entries[0].request.postData == nil)
        #expect(asked.values.isEmpty)
    }
}
