import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What is seen of an exchange as it goes on, and the entries that are made of it at its end.
struct RecordedExchange: Sendable {
    private let request: URLRequest
    private let start: Date
    /// When the head was here; known only of a body that comes in parts.
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

    /// The entry of the exchange; nil for one that tells nothing of a server: it was cancelled, or never sent.
    func entry(_ ending: Ending, at now: Date, metrics: TransferMetrics?, trailers: Headers) -> HAR.Entry? {
        guard let url = request.url, let response = response(ending, metrics, trailers, url) else {
            return nil
        }
        let total = milliseconds(to: now)
        let own =
            head.map { HAR.Timings(wait: $0.time, receive: total - $0.time) } ?? HAR.Timings(wait: total)
        var entry = HAR.Entry(
            start: metrics?.start ?? start, request: HAR.Request(request, url: url, metrics: metrics),
            response: response, timings: metrics.flatMap(HAR.Timings.init) ?? own)
        if let address = metrics?.remoteAddress { entry["serverIPAddress"] = .string(Self.host(of: address)) }
        return entry
    }

    private func milliseconds(to date: Date) -> Double { max(0, date.timeIntervalSince(start) * 1000) }

    private func response(
        _ ending: Ending, _ metrics: TransferMetrics?, _ trailers: Headers, _ url: URL
    ) -> HAR.Response? {
        if ending.error != nil, !ending.isOfNetwork { return nil }
        let head = ending.response as? HTTPURLResponse ?? head?.response
        if head == nil, ending.error == nil { return nil }
        let fields = head.map { HAR.Field.fields($0.allHeaderFields) } ?? []
        let type = fields.first { $0.name.lowercased() == "content-type" }?.value ?? ""
        var response = HAR.Response(
            status: head?.statusCode ?? 0, httpVersion: metrics?.httpVersion ?? "HTTP/1.1", headers: fields,
            content: HAR.Content(bytes + (ending.data ?? Data()), mimeType: type),
            bodySize: metrics?.bytesReceived ?? -1)
        if !parts.isEmpty {
            response["_parts"] = .array(parts.map { [.number($0.time), .number($0.count)] })
        }
        let named = trailers.map { HAR.Field($0.name.rawValue, $0.value).json }
        if !named.isEmpty { response["_trailers"] = .array(named) }
        if let final = head?.url, final != url { response["_url"] = .string(final.absoluteString) }
        // What comes as the response was not followed.
        if let head, RedirectPolicy.isRedirect(head.statusCode) { response["_followed"] = false }
        if let error = ending.error as? URLError {
            response["_error"] = .string(error.localizedDescription)
            response["_errorCode"] = .number(error.errorCode)
        }
        return response
    }

    /// An address without its port.
    private static func host(of address: String) -> String {
        guard let colon = address.lastIndex(of: ":") else { return address }
        return String(address[..<colon].trimmingPrefix("[").prefix { $0 != "]" })
    }
}

extension Ending {
    /// Whether it is what a network has done, and not the app.
    fileprivate var isOfNetwork: Bool {
        guard let error = error as? URLError else { return false }
        return error.code != .cancelled
    }
}

extension TransferMetrics {
    var httpVersion: String? {
        switch protocolName {
        case "h2": "HTTP/2"
        case "h3": "HTTP/3"
        case let name?: name.uppercased()
        case nil: nil
        }
    }
}

extension HAR.Timings {
    /// The phases that the metrics tell of; nil where they don't even know when the first byte was here.
    init?(_ metrics: TransferMetrics) {
        guard let firstByte = metrics.firstByte?.milliseconds else { return nil }
        let lookUp = metrics.nameLookUpEnd?.milliseconds
        let connection = metrics.connectionEnd?.milliseconds
        let tls = metrics.tlsEnd?.milliseconds
        let ready = tls ?? connection ?? lookUp ?? 0
        let sent = metrics.requestEnd?.milliseconds ?? ready
        let from = { (earlier: Double?, end: Double?) in end.map { max(0, $0 - (earlier ?? 0)) } ?? -1 }
        self.init(
            dns: lookUp ?? -1, connect: from(lookUp, tls ?? connection), ssl: from(connection, tls),
            send: max(0, sent - ready), wait: max(0, firstByte - sent),
            receive: max(0, (metrics.lastByte?.milliseconds ?? firstByte) - firstByte))
    }
}

extension Duration {
    var milliseconds: Double { seconds * 1000 }
}

extension HAR.Request {
    /// What a URL request sends, as far as it is known.
    init(_ request: URLRequest, url: URL, metrics: TransferMetrics? = nil) {
        let fields = HAR.Field.fields(request.allHTTPHeaderFields ?? [:])
        let type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
        self.init(
            method: request.httpMethod ?? "GET", url: url.absoluteString,
            httpVersion: metrics?.httpVersion ?? "HTTP/1.1", headers: fields,
            postData: request.httpBody.map { HAR.PostData($0, mimeType: type) })
    }
}

extension HAR.Field {
    /// Fields of a dictionary, which has no order, by their names.
    static func fields(_ fields: [AnyHashable: Any]) -> [HAR.Field] {
        fields.compactMap { name, value in (name as? String).map { HAR.Field($0, "\(value)") } }
            .sorted { $0.name < $1.name }
    }
}
