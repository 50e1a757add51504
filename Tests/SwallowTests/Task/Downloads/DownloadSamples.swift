import Foundation
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

func head(
    _ status: Int, _ fields: [String: String] = [:], url: String = "http://h/a"
) throws -> HTTPURLResponse {
    let url = try #require(URL(string: url))
    return try #require(
        HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields))
}

/// The response of a `ServerSource`.
struct Answer: Sendable {
    var status = 200
    var fields: [String: String] = [:]
    var body = Data()
    /// The number of bytes of the body after which the connection is lost, or `nil` if it isn't lost.
    var cut: Int?

    static func status(_ status: Int) -> Answer { Answer(status: status) }

    /// Returns the complete content, or the requested range (RFC 9110 §14) if the content is unchanged.
    static func ranged(_ content: Data, to request: URLRequest, fields: [String: String]) -> Answer {
        let condition = request.value(forHTTPHeaderField: "If-Range")
        let range = request.value(forHTTPHeaderField: "Range") ?? ""
        guard condition == nil || fields.values.contains(condition ?? ""), range.hasPrefix("bytes="),
            let start = Int(range.dropFirst(6).dropLast())
        else {
            let length = ["Content-Length": "\(content.count)"]
            return Answer(fields: fields.merging(length) { $1 }, body: content)
        }
        guard start < content.count else {
            return Answer(status: 416, fields: ["Content-Range": "bytes */\(content.count)"])
        }
        let field = ["Content-Range": "bytes \(start)-\(content.count - 1)/\(content.count)"]
        return Answer(status: 206, fields: fields.merging(field) { $1 }, body: content.dropFirst(start))
    }

    func truncated(after count: Int) -> Answer {
        var answer = self
        answer.cut = count
        return answer
    }
}

/// A data source that streams the response that a closure returns.
struct ServerSource: SessionDataTaskDataSource {
    private let answer: @Sendable (URLRequest) -> Answer
    private let recorder = Recorder<URLRequest>()

    init(_ answer: @escaping @Sendable (URLRequest) -> Answer) {
        self.answer = answer
    }

    var requests: [URLRequest] { recorder.values }

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        recorder.append(request)
        let answer = answer(request)
        let exchange = StreamingExchange(request: request, completion: completion)
        exchange.head(answer.status, headers: answer.fields)
        let sent = Data(answer.body.prefix(answer.cut ?? .max))
        for start in stride(from: 0, to: sent.count, by: 16_384) {
            exchange.send(Data(sent.dropFirst(start).prefix(16_384)))
        }
        exchange.end(error: answer.cut.map { _ in URLError(.networkConnectionLost) })
        return exchange
    }
}

extension URLRequest {
    func header(_ name: String) -> String? { value(forHTTPHeaderField: name) }
}

extension ServiceError {
    var code: URLError.Code? {
        if case .transport(let error) = reason { error.code } else { nil }
    }
}
