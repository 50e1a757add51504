import Foundation

/// The requests of a chain, for a chart: what the events of a log say of them.
struct Timeline: Sendable {
    /// One request, from its sending to its end.
    struct Bar: Sendable, Hashable {
        let id: Int
        /// The method, and the URL without its scheme.
        let method: String
        let address: String
        let start: Date
        var end: Date
        /// The status code; nil where there was no response.
        var status: Int?
        var hasFailed = false
        var metrics: TransferMetrics?

        var duration: Duration { Duration(clamping: max(0, end.timeIntervalSince(start))) }
    }

    /// More requests under way are forgotten.
    private static let limit = 1000

    private var open: [Bar] = []
    private(set) var ended: [Bar] = []

    /// Whether no request is under way.
    var isIdle: Bool { open.isEmpty }

    /// Takes an event; what comes of caches and goes to the pipeline is none of a chart's.
    mutating func add(_ event: LogEvent) {
        guard let request = event.request else { return }
        switch event {
        case .requestSent:
            // A download that goes on after a break is one.
            if open.contains(where: { $0.id == request.id }) { return }
            if open.count == Self.limit { open.removeFirst() }
            open.append(
                Bar(
                    id: request.id, method: request.method, address: Self.address(of: request.url),
                    start: request.date, end: request.date))
        case .responseReceived(_, let response):
            end(request) { bar in
                bar.status = response.statusCode
                bar.metrics = response.metrics
            }
        case .failed:
            if let index = ended.firstIndex(where: { $0.id == request.id }) {
                ended[index].hasFailed = true
            } else {
                end(request) { $0.hasFailed = true }
            }
        case .cancelled: open.removeAll { $0.id == request.id }
        case .requestBuilt, .retry, .stageRun, .cacheHit, .cacheMiss, .cacheWrite, .cacheSkipped,
            .misconfigured:
            break
        }
    }

    private mutating func end(_ request: LogEvent.Request, _ change: (inout Bar) -> Void) {
        guard let index = open.firstIndex(where: { $0.id == request.id }) else { return }
        var bar = open.remove(at: index)
        bar.end = max(bar.start, request.date)
        change(&bar)
        ended.append(bar)
    }

    /// The requests that have ended, in the order in which they were sent; they are not given again.
    mutating func takeEnded() -> [Bar] {
        defer { ended = [] }
        return ended.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    }

    private static func address(of url: String) -> String {
        guard let scheme = url.range(of: "://") else { return url }
        return String(url[scheme.upperBound...])
    }
}
