import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Secrets in a recording")
struct HARRedactionTests {
    private let folder = Folder()

    private static let secretive = URLRequest.to("https://ada:pw0@h/a?access_token=s1&page=2") {
        $0.httpMethod = "POST"
        $0.setValue("Bearer s2", forHTTPHeaderField: "Authorization")
        $0.setValue("id=s3", forHTTPHeaderField: "Cookie")
        $0.setValue("application/json", forHTTPHeaderField: "Content-Type")
        $0.httpBody = Data(#"{"password":"s4","user":{"mail":"s5@h","age":36}}"#.utf8)
    }

    private static let answer = Answering(
        200,
        [
            "Set-Cookie": "id=s6; Path=/", "Content-Type": "application/json",
            "Location": "https://h/b?token=s7",
        ],
        Data(#"{"token":"s8","pin":4711,"list":[{"mail":"s9@h"}],"ok":true}"#.utf8))

    private static let redaction = HAR.Redaction(
        .standard.adding(["pin"]), bodies: ["$.user.mail", "$.list[*].mail"])

    /// Signs requests with its own header field.
    private struct Signer: Authenticator {
        func authorize(_ request: inout URLRequest) async {
            request.setValue("s10", forHTTPHeaderField: "X-Session")
        }

        func refresh(after response: HTTPURLResponse, to request: URLRequest) {}
    }

    @Test(
        "Header fields that an app's own authenticator sets are redacted, and still match in a replay",
        arguments: 0..<4)
    func authorized(adapter: Int) async throws {
        let recording = Self.answer.recording(to: folder.file)
        let adapters: [any SessionDataTaskDataSource] = [
            recording, recording.coalescing(), recording.intercepting { try await $1($0) },
            recording.degraded(latency: .milliseconds(1)),
        ]
        func service(_ source: any SessionDataTaskDataSource) -> WebService {
            WebService(baseURLString: "https://h", dataSource: source).configured {
                $0.authenticator = Signer()
            }
        }
        let recorded = service(adapters[adapter]).GET("/a")
        _ = try await recorded.data
        #expect(try !folder.text.contains("s10") && folder.text.contains("X-Session"))
        let replaying = service(
            ReplayingDataSource(try folder.har, matching: [.method, .url, .headers("X-Session")]))
        await #expect(throws: Never.self) { try await replaying.GET("/a").data }
    }

    @Test("Secrets in URLs, headers and bodies are never written")
    func written() async throws {
        let recording = Self.answer.recording(to: folder.file, redacting: Self.redaction)
        let recorded = await Call(Self.secretive, recording).resumed().outcome
        #expect(recorded.json["token"].string == "s8")
        let text = try folder.text
        for secret in ["pw0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "4711"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        let entry = try #require(try folder.har.entries.first)
        #expect(entry.request.url == "https://h/a?access_token=%3Credacted%3E&page=2")
        #expect(entry.request.queryString.map(\.value) == ["<redacted>", "2"])
        let sent = try JSON(parsing: #require(entry.request.postData?.data))
        #expect(sent == ["password": "<redacted>", "user": ["mail": "<redacted>", "age": 36]])
        let got = try JSON(parsing: #require(entry.response.content.data))
        #expect(got == ["token": "<redacted>", "pin": 0, "list": [["mail": "<redacted>"]], "ok": true])
        #expect(try folder.har.problems == [])
    }

    @Test("A cookie without = is a value, and is never written")
    func namelessCookie() async throws {
        let request = URLRequest.to("http://h/a") { $0.setValue("s3cret; a=b", forHTTPHeaderField: "Cookie") }
        let recording = Answering(200, ["Set-Cookie": "s3cret; Path=/; HttpOnly"]).recording(to: folder.file)
        _ = await Call(request, recording).resumed().outcome
        #expect(try !folder.text.contains("s3cret"))
        let entry = try #require(try folder.har.entries.first)
        #expect(entry.request.cookies.map(\.name) == ["", "a"])
        #expect(entry.response.cookies.map(\.name) == [""])
        #expect(entry.response.cookies.first?["httpOnly"].bool == true)
    }

    @Test("Secrets in body files, trailers, errors and final URLs are never written")
    func elsewhere() async throws {
        let byHand = ByHand()
        let recording = byHand.recording(
            to: folder.file, redacting: Self.redaction, bodiesInFilesOver: 20)
        let call = Call(.to("https://h/a?token=s0"), recording).resumed()
        let transfer = try #require(byHand.transfers.values.first)
        transfer.fields.withLock { $0 = ["Set-Cookie": "id=s1", "Checksum": "abc"] }
        let body = Data(#"{"token":"s2","list":[{"mail":"s3@h"}],"ok":true}"#.utf8)
        let head = HTTPURLResponse.test(
            transfer.request, 200, ["Content-Type": "application/json"], url: "https://h/b?token=s4&c=d")
        transfer.end(with: DataTaskResult(body, head, nil))
        #expect(await call.outcome.data == body)
        let failed = Call(.to("https://h/a?token=s0"), recording).resumed()
        let words = "no connection to https://h/a?token=s5"
        byHand.transfers.values[1].end(
            with: .failure(URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: words])))
        #expect(await failed.outcome.code == .timedOut)

        let content = try folder.har.entries[0].response.content
        let file = try Data(contentsOf: folder.url.appending(path: try #require(content.file)))
        #expect(
            try JSON(parsing: file)
                == ["token": "<redacted>", "list": [["mail": "<redacted>"]], "ok": true])
        let text = try folder.text + String(decoding: file, as: UTF8.self)
        for number in 0...5 { #expect(!text.contains("s\(number)"), "s\(number)") }
        let replaying = Answering().replaying("test", in: folder.url, mode: .replay)
        let replayed = Call(.to("https://h/a?token=other"), replaying).resumed()
        #expect(replayed.outcomes.map(\.data) == [file])
        #expect(replayed.outcomes[0].response?.url?.query()?.contains("c=d") == true)
        #expect(replayed.task.trailers["Checksum"] == "abc")
    }

    @Test("Secrets don't matter when a request is compared with the recorded one")
    func compared() async throws {
        let recording = Self.answer.recording(to: folder.file, redacting: Self.redaction)
        _ = await Call(Self.secretive, recording).resumed().outcome
        let replaying = ReplayingDataSource(
            try folder.har, matching: [.method, .url, .headers("Authorization", "Cookie"), .body],
            repeats: .last, redirects: .doNotFollow, redacting: Self.redaction)
        var other = Self.secretive
        other.url = URL(string: "https://bob:pw1@h/a?access_token=z1&page=2")
        other.setValue("Bearer z2", forHTTPHeaderField: "Authorization")
        other.httpBody = Data(#"{"user":{"age":36,"mail":"z5@h"},"password":"z4"}"#.utf8)
        #expect(await Call(other, replaying).resumed().outcome.status == 200)
        other.httpBody = Data(#"{"user":{"age":37,"mail":"z5@h"},"password":"z4"}"#.utf8)
        let words = problem(await Call(other, replaying).resumed().outcome)
        #expect(words.contains("body: recorded") && words.contains("\"age\":37"))
        #expect(!words.contains("z1") && !words.contains("z2") && !words.contains("z4"))
    }

    @Test("An app's redaction closures apply to the recording and to the request that is replayed")
    func closures() async throws {
        let redaction = HAR.Redaction(
            requests: { $0.url = $0.url.replacing(/\/users\/\d+/, with: "/users/N") },
            responses: { $0.body = Data("gone".utf8) })
        let (recorded, replayed) = await recordAndReplay(
            .to("http://h/users/41"), Answering(200, [:], Data("Ada".utf8)), in: folder, redacting: redaction)
        #expect(recorded.data == Data("Ada".utf8))
        #expect(replayed.data == Data("gone".utf8))
        let replaying = ReplayingDataSource(try folder.har, redacting: redaction)
        #expect(await Call(.to("http://h/users/7"), replaying).resumed().outcome.text == "gone")
    }

    @Test("A value that closures remove from URLs and header fields isn't written anywhere else")
    func closuresAndRepetitions() async throws {
        let redaction = HAR.Redaction(
            LogRedaction(names: []),
            requests: { request in
                request.url = request.url.replacing(/device=\w+/, with: "device=0")
                request.headers[.cookie] = "theme=0"
                request.headers[.contentType] = "text/csv"
            },
            responses: { response in
                response.headers[.setCookie] = "theme=0"
                response.headers[.location] = "/c"
                response.headers[.contentType] = "text/css"
            })
        let request = URLRequest.to("https://h/a?device=s1&page=2") {
            $0.httpMethod = "POST"
            $0.setValue("theme=s2", forHTTPHeaderField: "Cookie")
            $0.setValue("text/csv; name=s3", forHTTPHeaderField: "Content-Type")
            $0.httpBody = Data("a".utf8)
        }
        let fields = ["Set-Cookie": "theme=s4", "Location": "/c?ref=s5", "Content-Type": "text/css; name=s6"]
        let source = Answering { (Data("b".utf8), .test($0, 201, fields, url: "https://h/b?device=s1"), nil) }
        let (_, replayed) = await recordAndReplay(request, source, in: folder, redacting: redaction)
        let text = try folder.text
        for number in 1...6 { #expect(!text.contains("s\(number)"), "s\(number)") }
        let entry = try #require(try folder.har.entries.first)
        #expect(entry.request.queryString == [HAR.Field("device", "0"), HAR.Field("page", "2")])
        #expect(entry.request.cookies.map(\.value) == ["0"] && entry.response.cookies.map(\.value) == ["0"])
        #expect(entry.response.redirectURL == "/c" && replayed.url == "https://h/b?device=0")
        #expect(entry.request.postData?.mimeType == "text/csv")
        #expect(entry.response.content.mimeType == "text/css")
        #expect(try folder.har.problems == [])
    }

    @Test("A redaction closure leaves other fields, their comments and the media type unchanged")
    func closuresAndNotes() {
        let noted: JSON = ["name": "A", "value": "1", "comment": "kept"]
        let entry = HAR.Entry(
            start: Date(),
            request: HAR.Request(json: [
                "url": "http://h/?a=1", "queryString": [noted], "cookies": [noted],
                "headers": [["name": ":method", "value": "POST"], noted],
                "postData": ["mimeType": "text/css", "text": "a"],
            ]),
            response: HAR.Response(
                status: 200, headers: [HAR.Field("Content-Type", "text/csv")],
                content: HAR.Content(json: ["text": "a"])))
        let redaction = HAR.Redaction(
            LogRedaction(names: []),
            requests: { request in
                request.headers["B"] = "2"
                request.body = Data("b".utf8)
            }, responses: { $0.body = Data("c".utf8) })
        let redacted = redaction.redacted(entry)
        #expect(redacted.request.headerFields.map(\.name) == [":method", "A", "B"])
        #expect(redacted.request.headerFields[1].json == noted)
        #expect(redacted.request["queryString"] == [noted] && redacted.request["cookies"] == [noted])
        #expect(redacted.request.postData?.mimeType == "text/css" && redacted.request.body == Data("b".utf8))
        #expect(redacted.response.content.mimeType == "text/csv" && redacted.response.body == Data("c".utf8))
        #expect(HAR.Redaction(requests: { $0.body = nil }).redacted(entry).request.postData == nil)
    }

    @Test(
        "A change of the URL by a closure also removes HTTP/2's :path field, and bodies without changes stay")
    func closuresAndURL() {
        let path: JSON = ["name": ":path", "value": "/a?device=7"]
        let request = HAR.Request(json: [
            "url": "https://a.test/a?device=7", "headers": [path, ["name": "A", "value": "1"]],
            "postData": ["params": []],
        ])
        let response = HAR.Response(json: ["content": ["_file": "body.bin", "size": 3]])
        let entry = HAR.Entry(start: Date(), request: request, response: response)
        let changing = HAR.Redaction(requests: { $0.url = "https://a.test/a" })
        #expect(changing.redacted(entry).request.headerFields.map(\.name) == ["A"])
        let same = HAR.Redaction(requests: { $0.body = $0.body }, responses: { $0.body = $0.body })
        #expect(same.redacted(entry).request["postData"] == request["postData"])
        #expect(same.redacted(entry).response["content"] == response["content"])
    }

    @Test(
        "Secrets are redacted in recordings of other tools, including those tools' own members",
        arguments: ToolRecordingsTests.tools)
    func tools(tool: String) throws {
        let file = ToolRecordingsTests.folder.appending(path: "\(tool).har")
        let redacted = HAR.Redaction.standard.redacted(try HAR(contentsOf: file))
        let text = String(decoding: redacted.data, as: UTF8.self)
        for secret in ["s3cret", "b3rnoulli", "Bearer abc", "0f3a", "a=1", "b=2"] {
            #expect(!text.contains(secret))
        }
        #expect(redacted.entries.count == (try HAR(contentsOf: file)).entries.count)
        #expect(HAR.Redaction.standard.redacted(redacted) == redacted)
    }

    @Test("A body without secrets is recorded byte for byte")
    func untouched() async throws {
        let body = Data(#"{ "a" : 1.0,  "token_type":"x" }"#.utf8)
        let (_, replayed) = await recordAndReplay(
            .to("http://h/a"), Answering(200, ["Content-Type": "application/json"], body), in: folder)
        #expect(replayed.data == body)
    }

    @Test(
        "JSON paths select the values of bodies that are redacted",
        arguments: [
            ("$.a", #"{"a":"-","b":["x",{"a":"x"}]}"#), ("a", #"{"a":"-","b":["x",{"a":"x"}]}"#),
            ("$..a", #"{"a":"-","b":["x",{"a":"-"}]}"#), ("$.b[0]", #"{"a":"x","b":["-",{"a":"x"}]}"#),
            ("$.b[*].a", #"{"a":"x","b":["x",{"a":"-"}]}"#),
            ("$['b'][1]['a']", #"{"a":"x","b":["x",{"a":"-"}]}"#),
            ("$.*", #"{"a":"-","b":["-",{"a":"-"}]}"#), ("$.c.d", #"{"a":"x","b":["x",{"a":"x"}]}"#),
        ])
    func paths(path: String, expected: String) async throws {
        let redaction = HAR.Redaction(bodies: [path])
        let (_, replayed) = await recordAndReplay(
            .to("http://h/a"), Answering(200, [:], Data(#"{"a":"x","b":["x",{"a":"x"}]}"#.utf8)), in: folder,
            redacting: redaction)
        let text = String(decoding: try #require(replayed.data), as: UTF8.self)
        #expect(text.replacing("<redacted>", with: "-") == expected)
    }

    @Test(
        "An invalid JSON path fails each request, and redacts the bodies of a recording completely",
        arguments: ["", "$", "$.a[", "$.a[x]", "$...a"])
    func invalidPath(path: String) async {
        let redaction = HAR.Redaction(bodies: [path])
        let recorded = await Call(Answering().recording(to: folder.file, redacting: redaction)).resumed()
            .outcome
        #expect(problem(recorded).contains("isn't a JSON path"))
        let replayed = await Call(ReplayingDataSource(HAR(), redacting: redaction)).resumed().outcome
        #expect(problem(replayed).contains("isn't a JSON path"))
        let entry = HAR.Entry(
            start: Date(),
            request: HAR.Request(
                method: "POST", url: "http://h/",
                postData: HAR.PostData(Data(#"{"a":1}"#.utf8), mimeType: "application/json")),
            response: HAR.Response(status: 200, content: HAR.Content(Data([0xFF]), mimeType: "image/png")))
        let redacted = redaction.redacted(HAR(entries: [entry])).entries[0]
        for body in [redacted.request.body, redacted.response.body] {
            #expect(body == Data("<redacted>".utf8))
        }
    }
}
