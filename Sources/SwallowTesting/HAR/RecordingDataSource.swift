import Foundation
import Swallow

/// Sends requests through another data source, and stores the exchanges in a ``HAR`` file.
///
/// Create it with `service.dataSource.recording(to:)`, whose documentation describes what is stored.
public struct RecordingDataSource: SessionDataTaskDataSource {
    let base: any SessionDataTaskDataSource
    let file: HARFile
    let redaction: HAR.Redaction
    let largest: Int?
    let replacesFile: Bool

    init(
        _ base: any SessionDataTaskDataSource, to file: URL, redacting redaction: HAR.Redaction,
        bodiesInFilesOver largest: Int?, replacesFile: Bool = false
    ) {
        self.base = base
        self.file = HARFile.at(file)
        self.redaction = redaction
        self.largest = largest
        self.replacesFile = replacesFile
    }

    /// Returns a task that has not started. When it is resumed, the other data source sends the request.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let secretFields = TransferContext.current.secretFields
        return ManagedDataTask(completion) {
            RecordingOperation(request, self, hiding: secretFields, $0)
        }
    }
}

extension RecordingDataSource: SizedDataSource {
    package var maximumBodySize: Int { base.maximumBodySize }
}

extension SessionDataTaskDataSource {
    /// Returns a data source that stores the exchanges of this data source in a ``HAR`` file.
    ///
    /// ```swift
    /// service.dataSource = service.dataSource.recording(to: URL(filePath: "/tmp/session.har"))
    /// ```
    ///
    /// A ``HAR/Redaction`` removes secrets before anything is written. Response bodies are stored without their content
    /// coding. Followed redirects have their own entries if the data source reports them in its metrics. Exchanges that
    /// were cancelled, or failed with an error other than a `URLError`, aren't recorded. A streamed request body isn't
    /// recorded if it can be sent only once or exceeds 16 MiB.
    ///
    /// A task completes after its recorded exchange is in the file. If the file can't be written, the task fails with a
    /// `ServiceError` of reason `.invalidResponse`. New entries follow the entries of an earlier recording.
    /// Several data sources and processes may record into one file.
    ///
    /// - Parameters:
    ///   - file: The recording. If it doesn't exist, it is created with its folder.
    ///   - redaction: The secrets that aren't written. By default, they are those of `LogRedaction.standard`.
    ///   - largest: The maximum size in bytes of a response body in the `.har` file. A larger body has its own file in
    ///     the folder `NAME.bodies` beside the recording. `nil`, the default, means no limit.
    public func recording(
        to file: URL, redacting redaction: HAR.Redaction = .standard, bodiesInFilesOver largest: Int? = nil
    ) -> RecordingDataSource {
        RecordingDataSource(self, to: file, redacting: redaction, bodiesInFilesOver: largest)
    }
}

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
