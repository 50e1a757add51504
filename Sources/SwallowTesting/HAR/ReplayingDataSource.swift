import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A data source that responds with the exchanges recorded in a ``HAR`` file.
///
/// ```swift
/// @Test func showsTheUser() async throws {
///     let service = WebService(
///         baseURLString: "https://api.example.com", dataSource: .replaying("fetchUser"))
///
///     #expect(try await service.GET("/users/7").json["name"].string == "Ada")
/// }
/// ```
///
/// This example reads `Replays/fetchUser.har` beside the test's file. To record that file, run the test with
/// `SWALLOW_RECORD=missing` in the environment. Requests without an entry in the file are then sent and recorded. With
/// `all`, every request is sent, and the file is replaced. Exclude the folder from the test target in `Package.swift`:
/// `exclude: ["Replays"]`.
///
/// A request receives the first unused entry that has its method and URL, or that meets the given conditions, in the order
/// of `resume()`. If no entry is left, the request fails with a `ServiceError` of reason `.invalidRequest`, which lists
/// the nearest entries and the differences. Each data source counts separately, so tests can share a recording.
///
/// Each redirect is an entry, and is followed as the policy specifies. The parts of streamed bodies, failures, trailers
/// and metrics are replayed. A response without a delay is delivered inside `resume()`, and the parts of a streamed
/// body are delivered on a queue. Recordings of browsers and proxies can also be replayed.
public final class ReplayingDataSource: SessionDataTaskDataSource {
    /// The requests that are sent and recorded.
    public enum Mode: Sendable {
        /// No request is sent. The default.
        case replay
        /// Requests without an entry in the recording are sent.
        case missing
        /// All requests are sent. Entries from before this process began are replaced.
        case all
    }

    /// The response to a request whose entries were all used.
    public enum Repeats: Sendable {
        /// The request fails with an error.
        case fail
        /// The last entry is replayed again.
        case last
    }

    private let shelf: ReplayShelf
    private let recorder: RecordingDataSource?
    private let mode: Mode
    /// Every request fails with this error, because the recording or the environment is invalid.
    private let problem: ServiceError?
    private let folder: URL?
    private let options: Options

    /// Replays a recording that is in memory.
    ///
    /// - Parameters:
    ///   - har: The recording.
    ///   - folder: The folder of the recording, for bodies in files beside it. `nil`, the default, if there are none.
    ///   - conditions: The properties that a request and its entry must share. Method and URL by default.
    ///   - repeats: The response to a request whose entries were all used. An error by default.
    ///   - emptyForMissingBodies: Whether a response has an empty body if the recording tool didn't store its body. By
    ///     default, the request fails with an error that states this.
    ///   - atRecordedPace: Whether responses take as long as recorded, measured by the service's clock. By default, they
    ///     take no time.
    ///   - redirects: The policy that decides which recorded redirects are followed.
    ///   - redaction: The secrets that aren't compared.
    public init(
        _ har: HAR, folder: URL? = nil, matching conditions: [ReplayCondition] = [.method, .url],
        repeats: Repeats = .fail, emptyForMissingBodies: Bool = false, atRecordedPace: Bool = false,
        redirects: RedirectPolicy = .follow(), redacting redaction: HAR.Redaction = .standard
    ) {
        options = Options(
            conditions: conditions, repeats: repeats, emptyForMissingBodies: emptyForMissingBodies,
            atRecordedPace: atRecordedPace, redirects: redirects, redaction: redaction)
        shelf = ReplayShelf(har, name: "the recording", options)
        (recorder, mode, self.folder, problem) = (nil, .replay, folder, redaction.problem)
    }

    /// `base` sends the requests to record. If `mode` is `nil`, the environment determines it.
    init(
        _ base: any SessionDataTaskDataSource, file: URL, mode: Mode?, _ options: Options,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        var (har, used, problem) = (HAR(), mode ?? .replay, options.redaction.problem)
        do throws(ServiceError) {
            if mode == nil { used = try Mode(environment: environment) }
            if used != .all { har = try HAR(recordedAt: file, in: used) }
        } catch {
            (used, problem) = (.replay, error)
        }
        self.mode = used
        shelf = ReplayShelf(har, name: file.lastPathComponent, options)
        recorder =
            used == .replay
            ? nil
            : RecordingDataSource(
                base, to: file, redacting: options.redaction, bodiesInFilesOver: options.largest,
                beginsAnew: used == .all)
        (folder, self.problem) = (file.deletingLastPathComponent(), problem)
        self.options = options
    }

    /// Returns a task that has not started. It finds its recorded response when it is resumed.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let secretFields = SenderTerms.current.secretFields
        return ManagedDataTask(completion) { output in
            ChosenOperation(output) { try self.operation(for: request, hiding: secretFields, output) }
        }
    }
}

extension ReplayingDataSource {
    private func operation(
        for request: URLRequest, hiding secretFields: [String], _ output: DataTaskOutput
    ) throws -> any DataTaskOperation {
        let recording = recorder.map { RecordingOperation(request, $0, hiding: secretFields, output) }
        if mode == .all, let recording { return recording }
        if let problem { throw problem }
        let start = SenderTerms.currentClock.now
        guard let answer = try answer(to: request, hiding: secretFields, start: start) else {
            guard let recording else { throw ServiceError(.invalidRequest) }
            return recording
        }
        let script = answer.script(isPaced: options.atRecordedPace)
        return Playback(request, output) { _ in script }
    }

    /// Returns the response after the recorded redirects, or `nil` if the request must be recorded.
    private func answer(
        to request: URLRequest, hiding secretFields: [String], start: Date
    ) throws -> ReplayAnswer? {
        var (request, delay, hops) = (request, Duration.zero, [TransferMetrics.Hop]())
        let policy = SenderTerms.current.redirects?.take() ?? options.redirects
        while true {
            let entry: HAR.Entry
            switch try take(request, hiding: secretFields) {
            case .entry(let found): entry = found
            case .nothing where recorder != nil && hops.isEmpty: return nil
            case .nothing(let problem): throw ServiceError(.invalidRequest, detail: problem)
            }
            let answer = try ReplayAnswer(
                entry, to: request, folder: folder, emptyForMissingBody: options.emptyForMissingBodies,
                after: delay, hops: hops, start: start)
            guard let head = answer.head, entry.response["_followed"].bool != false,
                var next = try policy.request(after: head, to: request, count: hops.count)
            else { return answer }
            SenderTerms.current.prepareRedirect?(&next)
            hops.append(
                TransferMetrics.Hop(
                    request: request, head: head, start: start.addingTimeInterval(delay.seconds),
                    duration: entry.duration))
            (request, delay) = (next, delay + entry.duration)
        }
    }

    private func take(
        _ request: URLRequest, hiding secretFields: [String]
    ) throws -> ReplayShelf.Finding {
        guard let url = request.url else { return .nothing("the request has no URL") }
        let body = shelf.readsBodies ? try request.recordableBody() : nil
        let sent = ComparableRequest(
            options.redaction.hiding(secretFields).redacted(HAR.Request(request, url: url, body: body)))
        return shelf.take(sent)
    }
}

extension ReplayingDataSource.Mode {
    /// The mode is `replay` if `SWALLOW_RECORD` isn't set.
    init(environment: [String: String]) throws(ServiceError) {
        let text = environment["SWALLOW_RECORD"] ?? ""
        switch text.lowercased() {
        case "", "replay": self = .replay
        case "missing": self = .missing
        case "all": self = .all
        default:
            throw ServiceError(
                .invalidRequest,
                detail: "SWALLOW_RECORD is \"\(text)\", but it must be replay, missing or all")
        }
    }
}

extension HAR {
    /// A missing file is an empty recording if the mode creates it.
    fileprivate init(recordedAt file: URL, in mode: ReplayingDataSource.Mode) throws(ServiceError) {
        if FileManager.default.fileExists(atPath: file.path) {
            try self.init(contentsOf: file)
        } else if mode == .replay {
            throw ServiceError(
                .invalidRequest,
                detail: "the recording \(file.path) doesn't exist. Set SWALLOW_RECORD=missing to create it")
        } else {
            self.init()
        }
    }
}
