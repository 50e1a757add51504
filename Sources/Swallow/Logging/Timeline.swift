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
        var isRunning = false
        var metrics: TransferMetrics?

        var duration: Duration { Duration(clamping: max(0, end.timeIntervalSince(start))) }
    }

    private static let limit = 1000

    private var bars: [Bar] = []
    private var missed: [Int] = []

    var isIdle: Bool { !bars.contains(where: \.isRunning) }
    var ended: [Bar] { bars.filter { !$0.isRunning } }

    mutating func add(_ event: LogEvent) {
        guard let request = event.request else { return }
        switch event {
        case .requestSent: begin(request)
        case .cacheMiss:
            if missed.contains(request.id) { return }
            if missed.count == Self.limit { missed.removeFirst() }
            missed.append(request.id)
        case .cacheHit: missed.removeAll { $0 == request.id }
        case .cacheUsed(_, let use, _, _):
            if end(request, { $0.cache = use.name }) { return }
            var bar = Bar(request)
            (bar.cache, bar.isUnsent) = (use.name, true)
            bars.append(bar)
        case .responseReceived(_, let response):
            end(request) { bar in
                bar.status = response.statusCode
                bar.metrics = response.metrics
            }
        case .failed: end(request) { $0.hasFailed = true }
        case .cancelled: bars.removeAll { $0.id == request.id && $0.isRunning }
        case .requestBuilt, .retry, .stageRun, .cacheWrite, .cacheSkipped, .misconfigured: break
        }
    }

    private mutating func begin(_ request: LogEvent.Request) {
        if bars.contains(where: { $0.id == request.id }) { return }
        let running = bars.indices.filter { bars[$0].isRunning }
        if running.count == Self.limit { bars.remove(at: running[0]) }
        var bar = Bar(request)
        bar.isRunning = true
        if let index = missed.firstIndex(of: request.id) {
            missed.remove(at: index)
            bar.cache = "miss"
        }
        bars.append(bar)
    }

    /// Ends the bar of a request, unless it has ended before, and changes it. Returns `false` if there is no bar.
    @discardableResult
    private mutating func end(_ request: LogEvent.Request, _ change: (inout Bar) -> Void) -> Bool {
        guard let index = bars.firstIndex(where: { $0.id == request.id }) else { return false }
        if bars[index].isRunning { bars[index].end = max(bars[index].start, request.date) }
        bars[index].isRunning = false
        change(&bars[index])
        return true
    }

    mutating func takeEnded() -> [Bar] {
        defer { bars.removeAll { !$0.isRunning } }
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
