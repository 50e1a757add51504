import Foundation
import Swallow

struct RecordedExchange: Sendable {
    private let request: URLRequest
    private let start: Date
    private var head: (response: HTTPURLResponse, time: Double)?
    private var parts: [(time: Double, count: Int)] = []
    private var bytes = Data()

    init(_ request: URLRequest, start: Date) {
        self.request = request
        self.start = start
    }

    mutating func receive(_ part: ResponsePart, at now: Date) {
        switch part {
        case .head(let response): head = (response, milliseconds(to: now))
        case .bytes(let data):
            parts.append((milliseconds(to: now), data.count))
            bytes.append(data)
        }
    }

    /// Returns no entries if the exchange was cancelled, or failed with an error other than a `URLError`.
    func entries(
        _ result: DataTaskResult, at now: Date, metrics: TransferMetrics?, trailers: Headers
    ) -> [HAR.Entry] {
        let followedRedirects = metrics?.followedRedirects ?? []
        let final = finalRequest(after: followedRedirects.last, result)
        guard let url = final.url, let response = response(result, metrics, trailers, url) else { return [] }
        let version = metrics.httpVersion
        let delay = Self.delay(metrics)
        let total = max(0, milliseconds(to: now) - delay)
        let first = head.map { max(0, $0.time - delay) } ?? total
        var entry = HAR.Entry(
            start: metrics?.start ?? start,
            request: HAR.Request(final, body: try? final.recordableBody(), httpVersion: version),
            response: response,
            timings: metrics.flatMap(HAR.Timings.init) ?? HAR.Timings(wait: first, receive: total - first))
        if let address = metrics?.remoteAddress {
            entry["serverIPAddress"] = .string(Self.host(of: address))
        }
        return followedRedirects.map { HAR.Entry($0, httpVersion: version) } + [entry]
    }

    private func finalRequest(after redirect: TransferMetrics.Redirect?, _ result: DataTaskResult)
        -> URLRequest
    {
        guard let redirect else { return request }
        let url = result.response?.url ?? head?.response.url
        let policy = RedirectPolicy.custom { _, proposed in
            var next = proposed
            if let url { next.url = url }
            return next
        }
        return (try? policy.request(after: redirect.head, to: redirect.request, count: 0)) ?? redirect.request
    }

    private static func delay(_ metrics: TransferMetrics?) -> Double {
        guard let metrics, let first = metrics.followedRedirects.first else { return 0 }
        return max(0, metrics.start.timeIntervalSince(first.start) * 1000)
    }

    private func milliseconds(to date: Date) -> Double { max(0, date.timeIntervalSince(start) * 1000) }

    private func response(
        _ result: DataTaskResult, _ metrics: TransferMetrics?, _ trailers: Headers, _ url: URL
    ) -> HAR.Response? {
        if let error = result.error {
            guard let error = error as? URLError, error.code != .cancelled else { return nil }
        }
        let head = result.response as? HTTPURLResponse ?? head?.response
        if head == nil, result.error == nil { return nil }
        var response = HAR.Response(
            head, bytes + (result.data ?? Data()), httpVersion: metrics.httpVersion,
            bodySize: metrics?.bytesReceived ?? -1)
        let delay = Self.delay(metrics)
        if !parts.isEmpty {
            response["_parts"] = .array(
                parts.map { [.number(max(0, $0.time - delay)), .number($0.count)] })
        }
        let named = trailers.map { HAR.Field($0.name.rawValue, $0.value).json }
        if !named.isEmpty { response["_trailers"] = .array(named) }
        if let final = head?.url, final != url { response["_url"] = .string(final.absoluteString) }
        // If a redirect is the final response, the data source didn't follow it.
        if let head, RedirectPolicy.isRedirect(head.statusCode) { response["_followed"] = false }
        if let error = result.error as? URLError {
            response["_error"] = .string(error.localizedDescription)
            response["_errorCode"] = .number(error.errorCode)
        }
        return response
    }

    private static func host(of address: String) -> String {
        guard let colon = address.lastIndex(of: ":") else { return address }
        return String(address[..<colon].trimmingPrefix("[").prefix { $0 != "]" })
    }
}

extension HAR.Entry {
    fileprivate init(_ redirect: TransferMetrics.Redirect, httpVersion: String) {
        let body = try? redirect.request.recordableBody()
        self.init(
            start: redirect.start,
            request: HAR.Request(redirect.request, body: body, httpVersion: httpVersion),
            response: HAR.Response(redirect.head, httpVersion: httpVersion),
            timings: HAR.Timings(wait: redirect.duration.milliseconds))
    }
}

extension TransferMetrics? {
    fileprivate var httpVersion: String {
        switch self?.protocolName {
        case "h2": "HTTP/2"
        case "h3": "HTTP/3"
        case let name?: name.uppercased()
        case nil: "HTTP/1.1"
        }
    }
}

extension HAR.Timings {
    init?(_ metrics: TransferMetrics) {
        guard let firstByte = metrics.responseStart?.milliseconds else { return nil }
        let lookUp = metrics.domainLookupEnd?.milliseconds
        let connection = metrics.connectEnd?.milliseconds
        let tls = metrics.secureConnectionEnd?.milliseconds
        let ready = tls ?? connection ?? lookUp ?? 0
        let sent = metrics.requestEnd?.milliseconds ?? ready
        let from = { (earlier: Double?, end: Double?) in end.map { max(0, $0 - (earlier ?? 0)) } ?? -1 }
        self.init(
            dns: lookUp ?? -1, connect: from(lookUp, tls ?? connection), ssl: from(connection, tls),
            send: max(0, sent - ready), wait: max(0, firstByte - sent),
            receive: max(0, (metrics.responseEnd?.milliseconds ?? firstByte) - firstByte))
    }
}

extension HAR.Request {
    init(_ request: URLRequest, body: Data?, httpVersion: String = "HTTP/1.1") {
        let type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
        self.init(
            method: request.httpMethod ?? "GET", url: request.url?.absoluteString ?? "",
            httpVersion: httpVersion, headers: HAR.Field.fields(request.allHTTPHeaderFields ?? [:]),
            postData: body.map { HAR.PostData($0, mimeType: type) })
    }
}

extension HAR.Response {
    /// Creates a response from its head, or from `nil` if no head has arrived.
    fileprivate init(
        _ head: HTTPURLResponse?, _ body: Data = Data(), httpVersion: String, bodySize: Int64 = -1
    ) {
        let type = head?.value(forHTTPHeaderField: "Content-Type") ?? ""
        self.init(
            status: head?.statusCode ?? 0, httpVersion: httpVersion,
            headers: HAR.Field.fields(head?.allHeaderFields ?? [:]),
            content: HAR.Content(body, mimeType: type), bodySize: bodySize)
    }
}

extension URLRequest {
    /// Returns the body, also of a stream. `nil` without one, or if a stream exceeds 16 MiB or can be sent only once.
    func recordableBody() throws -> Data? {
        if let httpBody { return httpBody }
        return try streamedBody?.bytes(upTo: 1 << 24)
    }
}

extension HAR.Field {
    static func fields(_ fields: [AnyHashable: Any]) -> [HAR.Field] {
        fields.compactMap { name, value in (name as? String).map { HAR.Field($0, "\(value)") } }
            .sorted { $0.name < $1.name }
    }
}
