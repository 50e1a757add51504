import Foundation

struct Timeline: Sendable {
    struct Bar: Sendable, Hashable {
        let id: Int
        let method: String
        let address: String
        let start: Date
        var end: Date
        var status: Int?
        var hasFailed = false
        var cache: String?
        var isUnsent = false
        var metrics: TransferMetrics?

        var duration: Duration { Duration(clamping: max(0, end.timeIntervalSince(start))) }
    }

    private static let limit = 1000

    private var open: [Bar] = []
    private var missed: [Int] = []
    private(set) var ended: [Bar] = []

    var isIdle: Bool { open.isEmpty }

    mutating func add(_ event: LogEvent) {
        guard let request = event.request else { return }
        switch event {
        case .requestSent:
            if open.contains(where: { $0.id == request.id }) { return }
            if open.count == Self.limit { open.removeFirst() }
            var bar = Bar(request)
            if let index = missed.firstIndex(of: request.id) {
                missed.remove(at: index)
                bar.cache = "miss"
            }
            open.append(bar)
        case .cacheMiss:
            if missed.contains(request.id) { return }
            if missed.count == Self.limit { missed.removeFirst() }
            missed.append(request.id)
        case .cacheHit: missed.removeAll { $0 == request.id }
        case .cacheUsed(_, let use, _, _):
            if let index = ended.firstIndex(where: { $0.id == request.id }) {
                ended[index].cache = use.name
            } else if !end(request, { $0.cache = use.name }) {
                var bar = Bar(request)
                (bar.cache, bar.isUnsent) = (use.name, true)
                ended.append(bar)
            }
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
        case .requestBuilt, .retry, .stageRun, .cacheWrite, .cacheSkipped, .misconfigured: break
        }
    }

    @discardableResult
    private mutating func end(_ request: LogEvent.Request, _ change: (inout Bar) -> Void) -> Bool {
        guard let index = open.firstIndex(where: { $0.id == request.id }) else { return false }
        var bar = open.remove(at: index)
        bar.end = max(bar.start, request.date)
        change(&bar)
        ended.append(bar)
        return true
    }

    mutating func takeEnded() -> [Bar] {
        defer { ended = [] }
        return ended.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    }
}

extension Timeline.Bar {
    fileprivate init(_ request: LogEvent.Request) {
        let address = request.url.range(of: "://").map { String(request.url[$0.upperBound...]) }
        self.init(
            id: request.id, method: request.method, address: address ?? request.url, start: request.date,
            end: request.date)
    }
}
