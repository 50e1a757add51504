import Foundation
import Swallow

/// A data source that replays the responses of a ``HAR`` recording.
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
/// `SWALLOW_RECORD=missing` in the environment. With `SWALLOW_RECORD=all`, every request is sent, and the file is
/// replaced. Exclude the folder from the test target in `Package.swift`: `exclude: ["Replays"]`.
///
/// Each request receives the first unused entry that has its method and URL, or that meets your conditions. By default,
/// a request without such an entry fails with a `ServiceError` of reason `.invalidRequest`. Each data source has its
/// own list of used entries, so tests can share a recording.
///
/// A replayed response without a delay is delivered inside `resume()`, unless the task streams or sends an asynchronous
/// sequence. Recordings of browsers and proxies can also be replayed.
public final class ReplayingDataSource: SessionDataTaskDataSource {
    /// Which requests are sent and recorded.
    public enum Mode: Sendable {
        /// No request is sent. This is the default if `SWALLOW_RECORD` isn't set.
        case replay
        /// A request is sent and recorded if no entry is left for it. Without a URL, or after a recorded redirect, it
        /// fails instead.
        case missing
        /// All requests are sent and recorded. The first recorded exchange of this process replaces the earlier file.
        case all
    }

    /// The response to a request whose matching entries were all used.
    public enum Repeats: Sendable {
        /// The request fails with a `ServiceError` of reason `.invalidRequest`, unless it is sent because of the mode.
        case fail
        /// The last matching entry is replayed again.
        case last
    }

    private let replayEntries: ReplayEntries
    private let recorder: RecordingDataSource?
    private let mode: Mode
    private let problem: ServiceError?
    private let folder: URL?
    private let options: Options

    /// Creates a data source that replays a recording in memory.
    ///
    /// - Parameters:
    ///   - har: The recording.
    ///   - folder: The folder of the recording, for bodies in separate files. By default, replaying such a body fails.
    ///   - conditions: The conditions that a request and its entry must meet, by default the same method and URL.
    ///   - repeats: The response to a request whose matching entries were all used. By default, the request fails.
    ///   - emptyForMissingBodies: Whether a body of which only the size was recorded is replayed as empty. By default,
    ///     the request fails.
    ///   - atRecordedPace: Whether responses are as slow as in the recording. `false` by default.
    ///   - redirects: The policy for recorded redirects, unless a request has its own. By default, it follows up to 20.
    ///   - redaction: The secrets that aren't compared, by default those of `LogRedaction.standard`.
    public init(
        _ har: HAR, folder: URL? = nil, matching conditions: [ReplayCondition] = [.method, .url],
        repeats: Repeats = .fail, emptyForMissingBodies: Bool = false, atRecordedPace: Bool = false,
        redirects: RedirectPolicy = .follow(), redacting redaction: HAR.Redaction = .standard
    ) {
        options = Options(
            conditions: conditions, repeats: repeats, emptyForMissingBodies: emptyForMissingBodies,
            atRecordedPace: atRecordedPace, redirects: redirects, redaction: redaction)
        replayEntries = ReplayEntries(har, name: "the recording", options)
        (recorder, mode, self.folder, problem) = (nil, .replay, folder, redaction.problem)
    }

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
        replayEntries = ReplayEntries(har, name: file.lastPathComponent, options)
        recorder =
            used == .replay
            ? nil
            : RecordingDataSource(
                base, to: file, redacting: options.redaction, bodiesInFilesOver: options.largest,
                replacesFile: used == .all)
        (folder, self.problem) = (file.deletingLastPathComponent(), problem)
        self.options = options
    }

    /// Returns a task that has not started. It selects its recorded response when it is resumed.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let secretFields = TransferContext.current.secretFields
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
        return try replay(request, hiding: secretFields, output, otherwise: recording)
    }

    private func replay(
        _ original: URLRequest, hiding secretFields: [String], _ output: DataTaskOutput,
        otherwise recording: RecordingOperation?
    ) throws -> any DataTaskOperation {
        let start = TransferContext.currentClock.now
        var (request, delay, followedRedirects) = (original, Duration.zero, [TransferMetrics.Redirect]())
        let policy = TransferContext.current.redirects?.take() ?? options.redirects
        while true {
            let sent = try comparable(request, hiding: secretFields)
            let (found, matches) = replayEntries.take(sent)
            guard let entry = found else {
                if let recording, followedRedirects.isEmpty { return recording }
                let problem = replayEntries.problem(with: sent, matches: matches)
                throw ServiceError(.invalidRequest, detail: problem)
            }
            let answer = try ReplayAnswer(
                entry, to: request, folder: folder, emptyForMissingBody: options.emptyForMissingBodies,
                after: delay, followedRedirects: followedRedirects, start: start)
            guard let head = answer.head, entry.response["_followed"].bool != false,
                var next = try policy.request(after: head, to: request, count: followedRedirects.count)
            else {
                let script = answer.script(isPaced: options.atRecordedPace)
                return Playback(original, output) { _ in script }
            }
            TransferContext.current.prepareRedirect?(&next)
            followedRedirects.append(
                TransferMetrics.Redirect(
                    request: request, head: head, start: start.addingTimeInterval(delay.seconds),
                    duration: entry.duration))
            (request, delay) = (next, delay + entry.duration)
        }
    }

    private func comparable(_ request: URLRequest, hiding fields: [String]) throws -> ComparableRequest {
        if request.url == nil { throw ServiceError(.invalidRequest, detail: "the request has no URL") }
        let body = replayEntries.readsBodies ? try request.recordableBody() : nil
        return ComparableRequest(options.redaction.hiding(fields).redacted(HAR.Request(request, body: body)))
    }
}

extension ReplayingDataSource.Mode {
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
