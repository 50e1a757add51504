import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Finding the recorded entry of a request")
struct ReplayMatchingTests {
    private func exchange(
        _ url: String, _ text: String = "", method: String = "GET", headers: [HAR.Field] = [],
        body: String? = nil
    ) -> HAR.Entry {
        HAR.Entry(
            start: Date(timeIntervalSince1970: 1_893_456_000),
            request: HAR.Request(
                method: method, url: url, headers: headers,
                postData: body.map { HAR.PostData(Data($0.utf8), mimeType: "text/plain") }),
            response: HAR.Response(
                status: 200, content: HAR.Content(Data(text.utf8), mimeType: "text/plain")))
    }

    private func texts(_ source: ReplayingDataSource, _ urls: [String]) -> [String?] {
        urls.map { Call(.to($0), source).resumed().texts.first ?? "nothing" }
    }

    @Test("Entries with the same method and URL are replayed in order, and then the request fails")
    func order() {
        let source = ReplayingDataSource(
            HAR(entries: [
                exchange("http://h/a", "1"), exchange("http://h/b", "2"), exchange("http://h/a", "3"),
                exchange("http://h/a", "4", method: "POST"),
            ]))
        #expect(
            texts(source, ["http://h/a", "http://h/b", "http://h/a", "http://h/a"]) == ["1", "2", "3", nil])
    }

    @Test("With repeats: .last, the last entry is replayed again")
    func repeats() {
        let source = ReplayingDataSource(
            HAR(entries: [exchange("http://h/a", "1"), exchange("http://h/a", "2")]), repeats: .last)
        #expect(texts(source, Array(repeating: "http://h/a", count: 4)) == ["1", "2", "2", "2"])
    }

    @Test("The entry is chosen when a request is resumed, not when it is created")
    func turns() {
        let source = ReplayingDataSource(
            HAR(entries: [exchange("http://h/a", "1"), exchange("http://h/a", "2")]))
        let (first, second) = (Call(.to("http://h/a"), source), Call(.to("http://h/a"), source))
        second.task.resume()
        first.task.resume()
        #expect(second.texts == ["1"] && first.texts == ["2"])
        let unsent = Call(.to("http://h/a"), source)
        unsent.task.cancel()
        #expect(unsent.outcomes.map(\.isCancelled) == [true])
    }

    @Test(
        "Equivalent URLs match",
        arguments: [
            ("HTTP://H:80/a?b=c", "http://h/a?b=c", true), ("https://h:443", "https://h/", true),
            ("http://h/a?b=c+d", "http://h/a?b=c%20d", true), ("http://h/a#x", "http://h/a#y", true),
            ("http://ann:pw@h/a", "http://h/a", true), ("http://h/a", "http://h@evil.test/a", false),
            ("http://h/a?b=%c3%a9", "http://h/a?b=%C3%A9", true),
            ("http://h/a?b=1&c=2", "http://h/a?c=2&b=1", false), ("http://h/a", "http://h/A", false),
            ("http://h/a", "https://h/a", false), ("http://h/a", "http://h:81/a", false),
            ("http://h/a?b", "http://h/a", false),
            ("http://h/a|b/[c]/%7ed", "http://h/a%7Cb/%5bc%5D/~d", true),
            ("http://h/a%2fb", "http://h/a%2Fb", true), ("http://h/a%2Fb", "http://h/a/b", false),
            ("http://h/%61b c", "http://h/ab%20c", true), ("http://h/a%zz", "http://h/a%25zz", true),
            ("http://h/é;x", "http://h/%c3%a9;x", true), ("http://h/a+b", "http://h/a%20b", false),
            ("http://h/a?a=1%26b=2", "http://h/a?a=1&b=2", false),
            ("http://h/a?a=1%26b=2", "http://h/a?a=1%26b%3D2", true),
            ("http://h/a?a%3d1=2", "http://h/a?a=1%3D2", false),
        ])
    func urls(recorded: String, sent: String, isSame: Bool) {
        let source = ReplayingDataSource(HAR(entries: [exchange(recorded, "1")]))
        #expect(texts(source, [sent]) == [isSame ? "1" : nil])
    }

    @Test("A body is read from a file next to the recording if the recording's folder is known")
    func folder() throws {
        let folder = Folder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        try Data("beside".utf8).write(to: folder.url.appending(path: "a.txt"))
        var entry = exchange("http://h/a")
        entry.response.content = HAR.Content(json: ["size": 6, "mimeType": "text/plain", "_file": "a.txt"])
        let har = HAR(entries: [entry])
        #expect(texts(ReplayingDataSource(har, folder: folder.url), ["http://h/a"]) == ["beside"])
        #expect(texts(ReplayingDataSource(har), ["http://h/a"]) == [nil])
    }

    @Test("Without a recorded body, the request fails unless emptyForMissingBodies is set")
    func missing() {
        var entries = [exchange("http://h/a"), exchange("http://h/b"), exchange("http://h/c")]
        entries[0].response.content = HAR.Content(json: ["size": 4096, "mimeType": "text/plain"])
        entries[1].response.content = HAR.Content(json: ["size": 6, "_file": "a.txt"])
        entries[2].response.content = HAR.Content(json: ["size": 6, "text": "%", "encoding": "base64"])
        let urls = ["http://h/a", "http://h/b", "http://h/c"]
        #expect(texts(ReplayingDataSource(HAR(entries: entries)), urls) == [nil, nil, nil])
        let empty = ReplayingDataSource(HAR(entries: entries), emptyForMissingBodies: true)
        #expect(texts(empty, urls) == ["", nil, nil])
    }

    @Test("An entry without a valid status fails the request", arguments: [0, -1, 1000])
    func noStatus(status: Int) {
        var entry = exchange("http://h/a", "text")
        entry.response["status"] = .number(status)
        let call = Call(.to("http://h/a"), ReplayingDataSource(HAR(entries: [entry]))).resumed()
        #expect(call.outcomes.first?.response == nil)
        #expect((call.outcomes.first?.error as? URLError)?.localizedDescription == "no response was recorded")
    }

    @Test(
        "The encoding name base64 is compared case-insensitively",
        arguments: ["base64", "Base64", "BASE64"])
    func base64(name: String) throws {
        var entry = exchange("http://h/a")
        entry.response.content = HAR.Content(
            json: ["size": 1, "mimeType": "text/plain", "text": "AA==", "encoding": .string(name)])
        #expect(HAR.PostData(json: ["text": "AA==", "encoding": .string(name)]).data == Data([0]))
        #expect(try HAR(entries: [entry]).problems.allSatisfy { !$0.contains("content") })
        #expect(texts(ReplayingDataSource(HAR(entries: [entry])), ["http://h/a"]) == ["\0"])
    }

    @Test(
        "A recording's file is found by its name, with or without extension",
        arguments: ["chrome", "chrome.har"])
    func names(name: String) async {
        let source: any SessionDataTaskDataSource = Answering(failing: AppError()).replaying(
            name, in: ToolRecordingsTests.folder, mode: .replay)
        #expect(await Call(.to("https://api.example.com/dot.gif"), source).resumed().outcome.status == 200)
    }

    @Test("A request matches if all conditions match")
    func conditions() {
        let har = HAR(entries: [
            exchange(
                "https://live/v1/a?t=1", "1", method: "PUT", headers: [HAR.Field("accept-language", "de")],
                body: "x")
        ])
        func sends(_ conditions: [ReplayCondition], _ language: String, _ body: String) -> Bool {
            let request = URLRequest.to("http://test/v1/a") {
                $0.httpMethod = "PUT"
                $0.setValue(language, forHTTPHeaderField: "Accept-Language")
                $0.httpBody = Data(body.utf8)
            }
            return Call(request, ReplayingDataSource(har, matching: conditions)).resumed().texts == ["1"]
        }
        #expect(sends([.method, .path], "fr", "y"))
        #expect(!sends([.method, .path, .query], "fr", "y"))
        #expect(sends([.method, .path, .headers("Accept-Language")], "de", "y"))
        #expect(!sends([.method, .path, .headers("Accept-Language")], "fr", "y"))
        #expect(sends([.method, .path, .body], "fr", "x"))
        #expect(!sends([.method, .path, .body], "fr", "y"))
        #expect(sends([.custom("end") { $0.url.hasSuffix("1") && $1.url.hasSuffix("a") }], "fr", "y"))
        #expect(!sends([.custom("never") { _, _ in false }], "fr", "y"))
    }

    @Test("A missing header field differs from a header field with the value none")
    func missingField() {
        let source = ReplayingDataSource(
            HAR(entries: [exchange("http://h/a", headers: [HAR.Field("Sec-Fetch-Site", "none")])]),
            matching: [.url, .headers("Sec-Fetch-Site", "X-A")])
        let words = problem(Call(.to("http://h/a"), source).resumed().outcomes[0])
        #expect(words.contains("(Sec-Fetch-Site: recorded none, sent nothing)"))
    }

    @Test("The error of a request without a match lists the most similar entries and the differences")
    func nearest() {
        let source = ReplayingDataSource(
            HAR(entries: [
                exchange("http://other/x/y/z"), exchange("http://h/users/8", method: "POST"),
                exchange("http://h/users/9?a=1"),
                exchange("http://h/users/7?a=1"), exchange("http://far/away", method: "DELETE"),
            ]),
            matching: [.method, .url, .custom("mine") { _, sent in !sent.url.isEmpty }])
        let words = problem(Call(.to("http://h/users/7?a=2"), source).resumed().outcomes[0])
        #expect(
            words.hasPrefix(
                "invalidRequest: the recording has no entry for GET http://h/users/7?a=2. The most similar entries: "
            ))
        #expect(words.contains("entry 4, GET http://h/users/7?a=1 (query: recorded a=1, sent a=2)"))
        #expect(
            words.contains(
                "entry 3, GET http://h/users/9?a=1 (path: recorded /users/9, sent /users/7, query: "))
        #expect(!words.contains("entry 5"))
        #expect(words.contains(/entry 4.*entry 3/))
    }

    @Test("The error of a request whose entries were all replayed states their number")
    func used() {
        let source = ReplayingDataSource(HAR(entries: [exchange("http://h/a"), exchange("http://h/a")]))
        let calls = (0..<3).map { _ in Call(.to("http://h/a"), source).resumed() }
        #expect(
            problem(calls[2].outcomes[0])
                == "invalidRequest: the recording has no more responses for GET http://h/a: its 2 responses were replayed, "
                + "and the last is entry 2")
        let empty = Call(.to("http://h/a"), ReplayingDataSource(HAR())).resumed()
        #expect(problem(empty.outcomes[0]).contains("has no entries, so it has none for GET http://h/a"))
    }

    // MARK: - Redirects

    private func redirect(_ url: String, to location: String, _ status: Int = 302) -> HAR.Entry {
        var entry = exchange(url)
        entry.response = HAR.Response(status: status, headers: [HAR.Field("location", location)])
        return entry
    }

    @Test("Recorded redirects are followed as the redirect policy specifies")
    func redirects() {
        let har = HAR(entries: [
            redirect("http://h/a", to: "/b"), redirect("http://h/b", to: "http://other/c", 307),
            exchange("http://other/c", "end"),
        ])
        let call = Call(.to("http://h/a"), ReplayingDataSource(har)).resumed()
        #expect(call.texts == ["end"])
        #expect(call.outcomes.first?.response?.url?.absoluteString == "http://other/c")
        #expect(call.task.transferMetrics?.redirects == 2)
        let whole = Call(.to("http://h/a"), ReplayingDataSource(har, redirects: .doNotFollow)).resumed()
        #expect(whole.outcomes.map(\.status) == [302])
        let limited = Call(.to("http://h/a"), ReplayingDataSource(har, redirects: .follow(max: 1))).resumed()
        #expect(limited.outcomes.map(\.code) == [.httpTooManyRedirects])
        let lost = Call(.to("http://h/a"), ReplayingDataSource(HAR(entries: [har.entries[0]]))).resumed()
        #expect(problem(lost.outcomes[0]).contains("has no entry for GET http://h/b"))
    }

    @Test("At the recorded pace, each redirect takes its recorded time")
    func redirectPace() {
        let clock = ManualClock()
        var first = redirect("http://h/a", to: "/b")
        var second = exchange("http://h/b", "end")
        first["time"] = 2000
        second["time"] = 3000
        let call = Call(
            .to("http://h/a"), ReplayingDataSource(HAR(entries: [first, second]), atRecordedPace: true))
        TransferContext.with(clock: clock) { call.task.resume() }
        clock.advance(by: .milliseconds(4999))
        #expect(call.answers == 0)
        clock.advance(by: .milliseconds(1))
        #expect(call.texts == ["end"])
    }
}
