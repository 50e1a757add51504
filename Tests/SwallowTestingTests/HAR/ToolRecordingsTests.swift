import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A recording made by another tool")
struct ToolRecordingsTests {
    static let tools = ["chrome", "firefox", "safari", "charles", "mitmproxy"]
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Tools")

    private func recording(_ tool: String) throws -> HAR {
        try HAR(contentsOf: Self.folder.appending(path: "\(tool).har"))
    }

    private func replay(
        _ tool: String, _ url: String, _ method: String = "GET", body: String? = nil
    ) async throws -> (outcome: Call.Outcome, task: any DataTask) {
        let request = URLRequest.to(url) {
            $0.httpMethod = method
            $0.httpBody = body.map { Data($0.utf8) }
        }
        let source = (try recording(tool)).creator == nil ? nil : Answering(failing: AppError())
        let replaying = try #require(source).replaying(tool, in: Self.folder, mode: .replay)
        let call = Call(request, replaying).resumed()
        return (await call.outcome, call.task)
    }

    @Test("is written as it was read, with what is the tool's own", arguments: tools)
    func keeps(tool: String) throws {
        let data = try Data(contentsOf: Self.folder.appending(path: "\(tool).har"))
        let read = try HAR(parsing: data)
        #expect(read.json["log"]["version"].string == "1.2" && read.creator?.isEmpty == false)
        #expect(try JSON(parsing: read.data) == JSON(parsing: data))
        var changed = read
        changed.entries = read.entries
        #expect(changed == read)
    }

    @Test("has entries with dates, times and URLs", arguments: tools)
    func entries(tool: String) throws {
        for entry in try recording(tool).entries {
            let start = try #require(entry.started)
            #expect(abs(start.timeIntervalSince1970 - 1_772_442_901) < 2)
            #expect(entry.duration > .zero)
            #expect(URL(string: entry.request.url)?.host() != nil)
        }
    }

    @Test(
        "An entry without its duration or its start has the sum of its timings, and no start",
        arguments: [
            (#"{"startedDateTime":"2026-03-02T08:41:41.500Z","time":1250.5}"#, 1_772_440_901.5, 1250.5),
            (#"{"timings":{"dns":10,"connect":30,"ssl":20,"send":1,"wait":50,"receive":-1}}"#, nil, 91),
            (#"{"startedDateTime":"today","time":-1}"#, nil, 0),
        ])
    func times(entry: String, started: Double?, milliseconds: Double) throws {
        let har = try HAR(parsing: Data(#"{"log":{"entries":[\#(entry)]}}"#.utf8))
        #expect(har.entries[0].started?.timeIntervalSince1970 == started)
        #expect(abs(har.entries[0].duration / .milliseconds(1) - milliseconds) < 0.001)
    }

    @Test("Chrome's: HTTP/2, a content coding, repeated cookies, Base64, and a name that wasn't found")
    func chrome() async throws {
        let (stores, task) = try await replay("chrome", "https://api.example.com/stores?zip=15217")
        #expect(stores.json[0]["name"].string == "Squirrel Hill")
        #expect(stores.response?.value(forHTTPHeaderField: "Content-Encoding") == "br")
        #expect(stores.response?.value(forHTTPHeaderField: "Set-Cookie") == "a=1; path=/, b=2; path=/")
        let metrics = try #require(task.transferMetrics)
        #expect(metrics.protocolName == "h2" && metrics.remoteAddress == "192.0.2.10")
        #expect(metrics.secureConnectionEnd.map { ($0.seconds * 10_000).rounded() } == 301)
        let image = try await replay("chrome", "https://api.example.com/dot.gif").outcome
        #expect(image.data == Data("GIF89a".utf8))
        #expect(try await replay("chrome", "https://gone.example.com/").outcome.code == .cannotFindHost)
        let entry = try recording("chrome").entries[0]
        #expect(entry["_initiator"]["type"].string == "script")
    }

    @Test("Firefox's: a redirect after a form, and text in another charset")
    func firefox() async throws {
        let (answer, task) = try await replay(
            "firefox", "https://api.example.com/login", "POST", body: "user=ada&password=other")
        #expect(answer.status == 200)
        #expect(answer.response?.url?.path == "/stores")
        #expect(answer.data == Data([0x47, 0x72, 0xFC, 0xDF, 0x65]))
        #expect(task.transferMetrics?.redirects == 1)
    }

    @Test("Safari's: an error's body, cookies in lines, and a body that wasn't kept")
    func safari() async throws {
        let me = try await replay("safari", "https://api.example.com/me").outcome
        #expect(me.status == 404 && me.json["title"].string == "no")
        #expect(me.response?.value(forHTTPHeaderField: "Set-Cookie") == "a=1; Path=/, b=2; Path=/")
        let evicted = try await replay("safari", "https://api.example.com/evicted").outcome
        #expect(problem(evicted).contains("its 4096 bytes were not recorded"))
    }

    @Test("Charles's: everything in one line, Base64, no redirect where null stands")
    func charles() async throws {
        let stored = try await replay(
            "charles", "http://api.example.com/stores/41", "PUT", body: #"{"name":"Greenfield"}"#
        ).outcome
        #expect(stored.status == 201 && stored.json["id"].int == 41)
        #expect(stored.response?.value(forHTTPHeaderField: "Location") == "/stores/41")
    }

    @Test("mitmproxy's: bytes, repeated fields, and a connection that was lost")
    func mitmproxy() async throws {
        let archive = try await replay("mitmproxy", "https://api.example.com/archive").outcome
        #expect(archive.data == Data([0x00, 0xFF, 0x00, 0x80]))
        #expect(
            archive.response?.value(forHTTPHeaderField: "Link") == #"</a>; rel="next", </b>; rel="last""#)
        let reset = try await replay("mitmproxy", "https://api.example.com/reset").outcome
        #expect(reset.code == .unknown)
        #expect((reset.error as? URLError)?.localizedDescription == "server closed connection")
    }

    @Test(
        "that isn't a HAR file fails with an error that says so",
        arguments: [
            ("", "the data isn't a HAR"), ("{", "the data isn't a HAR"),
            ("[]", "it has no array log.entries"),
            (#"{"log":{"entries":{}}}"#, "it has no array log.entries"),
        ])
    func invalid(text: String, words: String) {
        #expect { try HAR(parsing: Data(text.utf8)) } throws: { "\($0)".contains(words) }
    }

    @Test(
        "with members missing, or of other types, is read as far as it goes",
        arguments: [
            #"{}"#, #"{"request":null,"response":[]}"#, #"{"request":{"url":7},"response":{"status":"200"}}"#,
            #"{"request":{"url":"http://h/a","headers":{}},"response":{"status":1e99,"content":7},"time":-5}"#,
            #"{"request":{"url":"http://h/a","postData":[]},"response":{"status":200,"content":{"text":"%","encoding":"base64"}}}"#,
            #"{"request":{"url":"http://h/a"},"response":{"status":200,"_parts":[[-1,-5],[9e99,3],7]},"timings":{"wait":1e300}}"#,
            #"{"request":{"url":"http://h/a"},"response":{"status":301,"headers":[{"name":"Location"},{"value":"x"},7]}}"#,
        ])
    func incomplete(entry: String) async throws {
        let har = try HAR(parsing: Data("\u{FEFF}{\"log\":{\"entries\":[\(entry)]}}".utf8))
        #expect(try !har.problems.isEmpty)
        _ = HAR.Redaction.standard.redacted(har)
        let call = Call(.to("http://h/a"), ReplayingDataSource(har)).resumed()
        #expect(call.answers == 1)
        _ = call.task.transferMetrics
    }
}
