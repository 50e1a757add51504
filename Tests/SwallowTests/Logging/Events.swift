import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension LogEvent.Request {
    init(
        _ url: String, method: String = "GET", headers: [String: String] = [:], body: Data? = nil,
        id: Int = 7,
        redaction: LogRedaction = .standard
    ) throws {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        request.httpBody = body
        self.init(request, id: id, redaction: redaction)
    }
}

extension LogEvent.Response {
    init(
        _ statusCode: Int = 200, headers: [String: String] = [:], byteCount: Int = 1234,
        duration: Duration = .milliseconds(83), redaction: LogRedaction = .standard
    ) throws {
        let url = try #require(URL(string: "https://host.example/"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headers))
        self.init(response, byteCount: byteCount, duration: duration, redaction: redaction)
    }
}

/// One event of each kind, each with the text in every place that can contain text.
func everyEvent(_ text: String) throws -> [LogEvent] {
    let error = ServiceError(.thrown, detail: text)
    let request = LogEvent.Request(
        Request(.GET, baseURLString: "https://host.example/" + text, options: [.header("X-Text", text)]),
        id: 7,
        redaction: .standard)
    return [
        .requestBuilt(request), .requestSent(request), .responseReceived(request, try .init()),
        .stageRun(
            request, stage: text, transformer: text, duration: .microseconds(4), .output(type: "Array<Int>")),
        .stageRun(
            request, stage: text, transformer: text, duration: .seconds(2),
            .failure(reason: LogRedaction.standard.text(of: error))),
        .cacheHit(request, stage: text),
        .cacheUsed(request, .hit, stage: text, Freshness(age: .seconds(1), lifetime: .seconds(2))),
        .cacheMiss(request, stage: text), .cacheWrite(request, stage: text),
        .failed(request, error: error, redaction: .standard), .misconfigured(text),
    ]
}
