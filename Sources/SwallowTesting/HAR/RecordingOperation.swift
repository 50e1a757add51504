import Foundation
import Swallow

final class RecordingOperation: DataTaskOperation, ResponseReceiver {
    private struct Recording: Sendable {
        var exchange: RecordedExchange
        let clock: any ServiceClock
        let ticket: Int
    }

    private let request: URLRequest
    private let source: RecordingDataSource
    private let redaction: HAR.Redaction
    private let output: DataTaskOutput
    private let base = BaseDataTask()
    private let recording = Lock<Recording?>(nil)

    init(
        _ request: URLRequest, _ source: RecordingDataSource, hiding secretFields: [String],
        _ output: DataTaskOutput
    ) {
        (self.request, self.source, self.output) = (request, source, output)
        redaction = source.redaction.hiding(secretFields)
    }

    func start(inParts: Bool) {
        if let problem = redaction.problem { return output.receive(.failure(problem)) }
        let clock = TransferContext.currentClock
        let recording = Recording(
            exchange: RecordedExchange(request, start: clock.now), clock: clock, ticket: source.file.ticket())
        self.recording.withLock { $0 = recording }
        if inParts { base.deliverParts() }
        base.resume()
        base.send(request, to: source.base, for: self)
    }

    func deliverParts() { base.deliverParts() }
    func suspend() { base.suspend() }
    func resume() { base.resume() }
    func cancel() { base.cancel() }
    var facts: TransferFacts { base.facts }

    func receive(_ part: ResponsePart) {
        if let now = recording.withLock({ $0?.clock })?.now {
            recording.withLock { $0?.exchange.receive(part, at: now) }
        }
        output.receive(part)
    }

    func receive(_ result: DataTaskResult) {
        guard let recording = recording.withLock({ $0.take() }) else { return }
        let (now, facts, redaction) = (recording.clock.now, base.facts, redaction)
        let entries = { @Sendable in
            recording.exchange.entries(result, at: now, metrics: facts.metrics, trailers: facts.trailers)
                .map(redaction.redacted)
        }
        source.file.append(
            entries, ticket: recording.ticket, largest: source.largest, replacesFile: source.replacesFile
        ) { [output] problem in
            output.receive(problem.map { .failure($0) } ?? result)
        }
    }
}
