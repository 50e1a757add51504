import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers requests with the exchanges that a ``HAR`` file has recorded.
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
/// That reads `Replays/fetchUser.har` beside the test's file. To make it, run the test with `SWALLOW_RECORD=missing` in
/// the environment: then requests that the file has no entry for go out, and are recorded. With `all`, every request
/// goes out, and the file is begun anew. Exclude the folder from the test target in `Package.swift`:
/// `exclude: ["Replays"]`.
///
/// A request gets the first entry that has its method and URL, or meets the conditions given, and wasn't used before;
/// the order is that of `resume()`. A request for which no entry is left fails with a `ServiceError` of reason
/// `.invalidRequest`, which lists the nearest entries and what differs. Each data source counts for itself, so tests
/// that share a recording don't disturb each other.
///
/// Redirects are entries of their own, and are followed by the policy; parts of streamed bodies, failures, trailers
/// and metrics are replayed. An answer that isn't delayed is given inside `resume()`, parts of a streamed one on a
/// queue. Recordings of browsers and proxies do as well as this package's.
public final class ReplayingDataSource: SessionDataTaskDataSource {
    /// Which requests go out to be recorded.
    public enum Mode: Sendable {
        /// None: each is answered by the recording. The default.
        case replay
        /// Those that the recording has no entry for.
        case missing
        /// All; what was recorded before this process began is replaced.
        case all
    }

    /// What a request gets when all its entries were given.
    public enum Repeats: Sendable {
        /// An error.
        case fail
        /// The last one again.
        case last
    }

    private let shelf: ReplayShelf
    private let recorder: RecordingDataSource?
    private let mode: Mode
    /// Why no request can be answered.
    private let problem: ServiceError?
    private let folder: URL?
    private let options: Options

    /// Replays a recording that is in memory.
    ///
    /// - Parameters:
    ///   - har: the recording.
    ///   - folder: where the recording was, for the bodies in files beside it. Nil, the default, for one without.
    ///   - conditions: what a request must have in common with an entry, by default method and URL.
    ///   - repeats: what a request gets when all its entries were given; an error by default.
    ///   - emptyForMissingBodies: whether a response whose body the tool that recorded it didn't keep comes without one; by
    ///     default its request fails, and the error says so.
    ///   - atRecordedPace: whether answers take as long as they took, by the service's clock; no time by default.
    ///   - redirects: which recorded redirects are followed.
    ///   - redaction: the secrets that aren't compared.
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

    /// - Parameters:
    ///   - base: sends what is recorded.
    ///   - file: the recording.
    ///   - mode: nil for what the environment says.
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

    /// Returns a task that has not started, and finds its answer when it is resumed.
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
    /// Finds the recorded response, or records the request.
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

    /// The answer to a request, after the recorded redirects; nil where the request is to be recorded.
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
    /// Reads `SWALLOW_RECORD`; `replay` where it isn't set.
    init(environment: [String: String]) throws(ServiceError) {
        let text = environment["SWALLOW_RECORD"] ?? ""
        switch text.lowercased() {
        case "", "replay": self = .replay
        case "missing": self = .missing
        case "all": self = .all
        default:
            throw ServiceError(
                .invalidRequest, detail: "SWALLOW_RECORD is \"\(text)\"; it can be replay, missing or all")
        }
    }
}

extension HAR {
    /// Reads a recording; a missing one is empty if the mode allows it to be made.
    fileprivate init(recordedAt file: URL, in mode: ReplayingDataSource.Mode) throws(ServiceError) {
        if FileManager.default.fileExists(atPath: file.path) {
            try self.init(contentsOf: file)
        } else if mode == .replay {
            throw ServiceError(
                .invalidRequest,
                detail: "there is no recording \(file.path); run with SWALLOW_RECORD=missing to make it")
        } else {
            self.init()
        }
    }
}
