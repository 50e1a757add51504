import Foundation
import Swallow

extension SessionDataTaskDataSource {
    /// Answers with a recording, or makes it with this data source: a ``ReplayingDataSource``.
    ///
    /// - Parameters:
    ///   - name: the recording's: `fetchUser`, or `fetchUser.har`, is for `Replays/fetchUser.har` beside the test's file.
    ///   - folder: where the recording is instead. Nil by default.
    ///   - mode: whether requests go out and are recorded. Nil, the default, goes by the environment's `SWALLOW_RECORD`:
    ///     `missing`, `all`, or `replay`, as where it isn't set. It is read when the data source is made.
    ///   - conditions: what a request must have in common with an entry, by default method and URL.
    ///   - repeats: what a request gets when all its entries were given; an error by default.
    ///   - emptyForMissingBodies: whether a response whose body the tool that recorded it didn't keep comes without one; by
    ///     default its request fails, and the error says so.
    ///   - atRecordedPace: whether answers take as long as they took, by the service's clock; no time by default.
    ///   - redirects: which recorded redirects are followed; by default those that the real data sources follow by
    ///     default. A redirect that was the response when it was recorded is the response again.
    ///   - redaction: the secrets that are neither written nor compared. By default what the log doesn't show either.
    ///   - largest: how many bytes a recorded body may have in the file, as for ``recording(to:redacting:bodiesInFilesOver:)``.
    ///   - file: the test's file; leave it out.
    public func replaying(
        _ name: String, in folder: URL? = nil, mode: ReplayingDataSource.Mode? = nil,
        matching conditions: [ReplayCondition] = [.method, .url],
        repeats: ReplayingDataSource.Repeats = .fail,
        emptyForMissingBodies: Bool = false, atRecordedPace: Bool = false,
        redirects: RedirectPolicy = .follow(),
        redacting redaction: HAR.Redaction = .standard, bodiesInFilesOver largest: Int? = nil,
        file: StaticString = #filePath
    ) -> ReplayingDataSource {
        let options = ReplayingDataSource.Options(
            conditions: conditions, repeats: repeats, emptyForMissingBodies: emptyForMissingBodies,
            atRecordedPace: atRecordedPace, redirects: redirects, redaction: redaction, largest: largest)
        return ReplayingDataSource(
            self, file: ReplayingDataSource.file(name, in: folder, besides: file), mode: mode, options)
    }
}

extension SessionDataTaskDataSource where Self == ReplayingDataSource {
    /// Answers with a recording, or makes it with the standard data source; see the function of this name that all data
    /// sources have.
    public static func replaying(
        _ name: String, in folder: URL? = nil, mode: ReplayingDataSource.Mode? = nil,
        matching conditions: [ReplayCondition] = [.method, .url],
        repeats: ReplayingDataSource.Repeats = .fail,
        emptyForMissingBodies: Bool = false, atRecordedPace: Bool = false,
        redirects: RedirectPolicy = .follow(),
        redacting redaction: HAR.Redaction = .standard, bodiesInFilesOver largest: Int? = nil,
        file: StaticString = #filePath
    ) -> ReplayingDataSource {
        let options = ReplayingDataSource.Options(
            conditions: conditions, repeats: repeats, emptyForMissingBodies: emptyForMissingBodies,
            atRecordedPace: atRecordedPace, redirects: redirects, redaction: redaction, largest: largest)
        return ReplayingDataSource(
            WebService.standardDataSource,
            file: ReplayingDataSource.file(name, in: folder, besides: file), mode: mode, options)
    }
}

extension ReplayingDataSource {
    /// The options of a replaying data source.
    struct Options: Sendable {
        /// What a request must have in common with an entry.
        var conditions: [ReplayCondition] = [.method, .url]
        var repeats = Repeats.fail
        var emptyForMissingBodies = false
        var atRecordedPace = false
        var redirects = RedirectPolicy.follow()
        var redaction = HAR.Redaction.standard
        /// How many bytes a recorded body may have in the file; nil for any.
        var largest: Int?
    }

    /// Where a recording is: in a folder, or in `Replays` beside a test's file.
    fileprivate static func file(_ name: String, in folder: URL?, besides test: StaticString) -> URL {
        let folder =
            folder ?? URL(filePath: "\(test)").deletingLastPathComponent().appending(path: "Replays")
        return folder.appending(path: name.hasSuffix(".har") ? name : "\(name).har")
    }
}
