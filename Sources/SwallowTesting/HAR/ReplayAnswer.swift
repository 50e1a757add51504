import Foundation
import Swallow

struct ReplayAnswer: Sendable {
    private var parts: [(time: Duration, part: ResponsePart)] = []
    private let end: Duration
    private let failure: (any Error)?
    private var facts = TransferFacts()
    private(set) var head: HTTPURLResponse?

    /// Creates the response to a request from an entry. `delay` is the time that the earlier redirects took.
    init(
        _ entry: HAR.Entry, to request: URLRequest, folder: URL?,
        emptyForMissingBody isEmptyIfMissing: Bool, after delay: Duration,
        followedRedirects: [TransferMetrics.Redirect], start: Date
    ) throws(ServiceError) {
        let (recorded, end) = (entry.response, delay + entry.duration)
        self.end = end
        failure = recorded.errorText.map {
            RecordedFailure.error($0, code: recorded["_errorCode"].int, at: request.url)
        }
        let sentCount = Int64(request.httpBody?.count ?? 0)
        (facts.progress.sent, facts.progress.expectedToSend) = (sentCount, sentCount)
        facts.metrics = TransferMetrics(start: start, entry, followedRedirects: followedRedirects)
        facts.metrics?.bytesSent = sentCount
        if (100..<1000).contains(recorded.status) {
            let head = try Self.head(recorded, request)
            // These responses have no body (RFC 9110 §6.4.1), but some tools record a size for them.
            let isEmpty = request.httpMethod == "HEAD" || [204, 304].contains(recorded.status)
            let isMissing = recorded.content.text == nil && recorded.content.file == nil
            let body =
                isEmpty || isMissing && isEmptyIfMissing
                ? Data() : try recorded.content.bytes(in: folder)
            let first = min(end, delay + .milliseconds(exactly: entry.timings.beforeFirstByte))
            let parts = Self.parts(recorded, body, from: first, after: delay, until: end)
            self.parts = [(first, .head(head))] + parts.map { ($0.time, .bytes($0.data)) }
            self.head = head
            facts.progress.expectedToReceive = Int64(body.count)
        }
        for field in recorded["_trailers"].elements.map(HAR.Field.init) {
            facts.trailers.append(field.value, for: Headers.Name(field.name))
        }
    }

    private static func head(
        _ response: HAR.Response, _ request: URLRequest
    ) throws(ServiceError) -> HTTPURLResponse {
        let url = response["_url"].string.flatMap { URL(string: $0) } ?? request.url
        let head = url.flatMap { url in
            HTTPURLResponse(
                url: url, statusCode: response.status, httpVersion: "HTTP/1.1",
                headerFields: response.headers.combined)
        }
        guard let head else {
            throw ServiceError(.invalidResponse, detail: "the recorded response can't be created")
        }
        return head
    }

    private static func parts(
        _ response: HAR.Response, _ body: Data, from first: Duration, after delay: Duration,
        until end: Duration
    ) -> [(time: Duration, data: Data)] {
        var (parts, rest, time) = ([(time: Duration, data: Data)](), body, first)
        for part in response["_parts"].elements {
            guard let count = part[1].int, count > 0, count <= rest.count else { break }
            time = min(end, max(time, delay + .milliseconds(exactly: part[0].double ?? 0)))
            parts.append((time, Data(rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
        if !rest.isEmpty { parts.append((end, Data(rest))) }
        return parts
    }
}

extension ReplayAnswer {
    func script(isPaced: Bool) -> Script {
        var (steps, now) = ([Script.Step](), Duration.zero)
        for (time, part) in parts {
            if isPaced, time > now { steps.append(.wait(time - now)) }
            now = max(now, time)
            steps.append(.part(part))
        }
        if isPaced, end > now { steps.append(.wait(end - now)) }
        return Script(
            steps: steps, result: DataTaskResult(failure == nil ? Data() : nil, head, failure),
            facts: facts)
    }
}

extension Duration {
    var milliseconds: Double { seconds * 1000 }

    static func milliseconds(exactly value: Double) -> Duration {
        Duration(clamping: max(0, value / 1000))
    }
}

extension TransferMetrics {
    fileprivate init(start: Date, _ entry: HAR.Entry, followedRedirects: [TransferMetrics.Redirect]) {
        self.init(start: start)
        let timings = entry.timings
        var time = max(0, timings.blocked)
        let after = { (phase: Double) -> Duration? in
            time += max(0, phase)
            return phase < 0 ? nil : .milliseconds(exactly: time)
        }
        domainLookupEnd = after(timings.dns)
        let beforeTLS = timings.ssl < 0 ? timings.connect : max(0, timings.connect - timings.ssl)
        connectEnd = after(beforeTLS)
        secureConnectionEnd = after(timings.ssl)
        requestEnd = after(timings.send)
        responseStart = after(timings.wait)
        responseEnd = after(timings.receive)
        bytesReceived = max(0, entry.response["bodySize"].int64 ?? 0)
        (self.followedRedirects, redirects) = (followedRedirects, followedRedirects.count)
        let version = entry.response["httpVersion"].string?.lowercased()
        protocolName = version.map { $0.hasPrefix("http/2") ? "h2" : $0.hasPrefix("http/3") ? "h3" : $0 }
        remoteAddress = entry["serverIPAddress"].string.flatMap { $0.isEmpty ? nil : $0 }
    }
}

enum RecordedFailure {
    static func error(_ text: String, code: Int?, at url: URL?) -> URLError {
        let name = text.uppercased()
        let known = chromeNames.first { name.contains($0.name) }?.code ?? .unknown
        // The initializer is failable on Linux only.
        let noted: URLError.Code? = code.flatMap { URLError.Code(rawValue: $0) }
        var info: [String: Any] = [NSLocalizedDescriptionKey: text]
        info[NSURLErrorFailingURLErrorKey] = url
        return URLError(noted ?? known, userInfo: info)
    }

    private static let chromeNames: [(name: String, code: URLError.Code)] = [
        ("ERR_NAME_NOT_RESOLVED", .cannotFindHost), ("ERR_CONNECTION_REFUSED", .cannotConnectToHost),
        ("ERR_ADDRESS_UNREACHABLE", .cannotConnectToHost),
        ("ERR_INTERNET_DISCONNECTED", .notConnectedToInternet),
        ("ERR_CONNECTION_RESET", .networkConnectionLost), ("ERR_CONNECTION_CLOSED", .networkConnectionLost),
        ("ERR_EMPTY_RESPONSE", .networkConnectionLost), ("ERR_NETWORK_CHANGED", .networkConnectionLost),
        ("TIMED_OUT", .timedOut), ("ERR_TOO_MANY_REDIRECTS", .httpTooManyRedirects),
        ("ERR_CERT", .serverCertificateUntrusted),
        ("ERR_SSL", .secureConnectionFailed), ("ERR_ABORTED", .cancelled),
    ]
}
