import Foundation

final class TaskLog: Sendable {
    typealias Sink = @Sendable (LogEvent) -> Void

    private let sink: Sink
    private let redaction: LogRedaction
    private let clock: any ServiceClock
    private let state: Lock<State>

    private struct State: Sendable {
        var request: LogEvent.Request
        var sent: Date?
    }

    init(
        _ request: Request, sink: @escaping Sink, redaction: LogRedaction, clock: (any ServiceClock)? = nil
    ) {
        self.sink = sink
        self.redaction = redaction
        self.clock = clock ?? .system
        state = Lock(
            State(
                request: LogEvent.Request(
                    request, id: LogEvent.Request.nextID(), redaction: redaction, date: self.clock.now)))
    }

    func ofAnother(_ request: Request) -> TaskLog {
        TaskLog(request, sink: sink, redaction: redaction, clock: clock)
    }

    private var request: LogEvent.Request {
        var request = state.withLock { $0.request }
        request.date = clock.now
        return request
    }

    func built(_ urlRequest: URLRequest, form: MultipartForm?) {
        let request = LogEvent.Request(
            urlRequest, form: form, id: request.id, redaction: redaction, date: clock.now)
        state.withLock { $0.request = request }
        sink(.requestBuilt(request))
    }

    func sent() {
        let request = request
        state.withLock { $0.sent = request.date }
        sink(.requestSent(request))
    }

    func retries(_ attempt: Int, after delay: Duration, _ outcome: TransferOutcome) {
        let reason =
            switch outcome {
            case .head(let head): "status \(head.statusCode)"
            case .failure(let error, _), .interruption(let error, _):
                redaction.text(of: ServiceError(transport: error, request: nil))
            }
        sink(.retry(request, attempt: attempt, delay: delay, reason: reason))
    }

    func received(
        _ response: HTTPURLResponse, body: Data? = nil, byteCount: Int, metrics: TransferMetrics? = nil
    ) {
        let request = request
        let sent = state.withLock { $0.sent } ?? request.date
        let duration = Duration(clamping: max(0, request.date.timeIntervalSince(sent)))
        let event = LogEvent.Response(
            response, body: body, byteCount: byteCount, duration: duration, metrics: metrics,
            redaction: redaction)
        sink(.responseReceived(request, event))
    }

    func ran(
        _ transformer: any ResponseTransformer, in stage: String, for duration: Duration, _ output: Outcome
    ) {
        let outcome: LogEvent.Outcome =
            switch output {
            case .success(let entity): .output(type: "\(type(of: entity.content))")
            case .failure(let error): .failure(reason: redaction.text(of: error))
            }
        sink(
            .stageRun(
                request, stage: stage, transformer: transformer.description, duration: duration, outcome))
    }

    func hit(_ stage: String) { sink(.cacheHit(request, stage: stage)) }
    func used(_ stored: StoredResponse, of stage: String) {
        let use = LogEvent.CacheUse(isConfirmed: stored.isConfirmed, stored.freshness)
        sink(.cacheUsed(request, use, stage: stage, stored.freshness))
    }

    func missed(_ stage: String) { sink(.cacheMiss(request, stage: stage)) }
    func skippedCaches() { sink(.cacheSkipped(request)) }
    func wrote(_ stage: String) { sink(.cacheWrite(request, stage: stage)) }

    func misconfigured(_ problem: String) { sink(.misconfigured(redaction.redacted(problem))) }

    /// A cancellation is a separate event.
    func failed(_ error: ServiceError) {
        if error.isCancelled {
            if state.withLock({ $0.sent.take() }) != nil { sink(.cancelled(request)) }
        } else {
            sink(.failed(request, error: error, redaction: redaction))
        }
    }
}
