import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Log events")
struct LogEventTests {
    @Test("Each kind is one line that starts with the task's number, the method and the URL")
    func lines() throws {
        let request = try LogEvent.Request(
            "https://host.example/a?b=1", method: "POST", headers: ["Accept": "text/plain", "Cookie": "a=b"],
            body: Data("x".utf8))
        func run(_ duration: Duration, _ outcome: LogEvent.Outcome) -> LogEvent {
            .stageRun(request, stage: "parsing", transformer: "JSON", duration: duration, outcome)
        }
        let lines: [(LogEvent, String)] = [
            (.requestBuilt(request), "built: 1 byte; Accept: text/plain; Cookie: <redacted>"),
            (.requestSent(request), "sent"),
            (.responseReceived(request, try .init(404)), "answered 404, 1234 bytes, 83.0 ms"),
            (
                run(.microseconds(1500), .output(type: "Array<Int>")),
                "stage parsing: JSON made Array<Int> in 1.5 ms"
            ),
            (
                run(.seconds(2), .failure(reason: "unparsable")),
                "stage parsing: JSON failed in 2.00 s: unparsable"
            ),
            (.cacheHit(request, stage: "model"), "stage model: cache hit"),
            (used(request, age: 10), "served from the cache of model: hit, 10.00 s old"),
            (
                used(request, age: 70),
                "served from the cache of model: stale hit, 70.00 s old, stale for 10.00 s"
            ),
            (
                used(request, age: 0, isConfirmed: true),
                "served from the cache of model: revalidated"
            ),
            (.cacheMiss(request, stage: "model"), "stage model: cache miss"),
            (.cacheWrite(request, stage: "model"), "stage model: cache write"),
            (.cacheSkipped(request), "caches skipped: the body isn't stored in memory"),
            (.cancelled(request), "cancelled"),
            (.failed(request, reason: "timedOut"), "failed: timedOut"),
        ]
        for (event, text) in lines {
            #expect(event.description == "[7] POST https://host.example/a?b=1 \(text)")
            #expect(event.request?.id == 7)
        }
        #expect(LogEvent.misconfigured("why").description == "misconfigured: why")
        #expect(LogEvent.misconfigured("why").request == nil)
    }

    private func used(
        _ request: LogEvent.Request, age: Double, isConfirmed: Bool = false
    ) -> LogEvent {
        let freshness = Freshness(age: .seconds(age), lifetime: .seconds(60))
        let use = LogEvent.CacheUse(isConfirmed: isConfirmed, freshness)
        return .cacheUsed(request, use, stage: "model", freshness)
    }

    @Test("Sending and receiving are info events, failures are error events, and all other events are debug")
    func levels() throws {
        let levels = try everyEvent("x").map(\.level)
        #expect(
            levels == [
                .debug, .info, .info, .debug, .info, .debug, .info, .debug, .debug, .error, .error,
            ])
        #expect(LogEvent.Level.allCases.sorted() == [.debug, .info, .error])
    }

    @Test(
        "An event is one line without control characters, whatever it contains",
        arguments: [
            "\n", "\r", "\r\n", "\u{1B}[2J", "\0", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{2029}",
            "\u{202E}",
            "\u{2066}", "\t", "\u{FEFF}",
        ])
    func oneLine(text: String) throws {
        for event in try everyEvent("a\(text)b") {
            let scalars = event.description.unicodeScalars
            let isClean = scalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }
            #expect(isClean, "\(event)")
        }
    }

    @Test("Control characters are written as escapes, and letters of any script stay")
    func escapes() {
        #expect(
            LogEvent.misconfigured("é日本 \r\n\t\u{1B}").description == "misconfigured: é日本 \\r\\n\\t\\u{1B}")
    }

    @Test("The bytes of a body are counted, and the size of a stream is unknown")
    func bodies() throws {
        #expect(try LogEvent.Request("https://host.example/").bodyByteCount == 0)
        let data = Data(count: 3)
        #expect(try LogEvent.Request("https://host.example/", method: "PUT", body: data).bodyByteCount == 3)
        var request = URLRequest(url: try #require(URL(string: "https://host.example/")))
        request.httpBodyStream = InputStream(data: data)
        let event = LogEvent.Request(request, id: 1, redaction: .standard)
        #expect(event.bodyByteCount == nil)
        #expect(LogEvent.requestBuilt(event).description.hasSuffix(" built: a stream"))
    }

    @Test("Concurrent tasks have different numbers")
    func numbers() async {
        let numbers = await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { (0..<200).map { _ in LogEvent.Request.nextID() } }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(numbers).count == 1600)
    }
}
