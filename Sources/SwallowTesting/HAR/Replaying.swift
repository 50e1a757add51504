import Foundation
import Swallow

extension SessionDataTaskDataSource {
    /// Returns a ``ReplayingDataSource`` that responds from a recording, or records the responses of this data source.
    ///
    /// - Parameters:
    ///   - name: The file name of the recording. The extension `.har` is added if it is missing.
    ///   - folder: The folder of the recording. With `nil`, the default, it is `Replays` beside the test's file.
    ///   - mode: Which requests are sent and recorded. With `nil`, the default, the environment variable
    ///     `SWALLOW_RECORD` selects `replay`, `missing` or `all`. If the variable isn't set, the mode is `replay`.
    ///   - conditions: The conditions that a request and its entry must meet, by default the same method and URL.
    ///   - repeats: Whether the last matching entry is replayed again after all were used. By default, it isn't.
    ///   - emptyForMissingBodies: Whether a body of which only the size was recorded is replayed as empty. By default,
    ///     the request fails.
    ///   - atRecordedPace: Whether responses are as slow as in the recording. `false` by default.
    ///   - redirects: The policy for recorded redirects, unless a request has its own. By default, it follows up to 20.
    ///   - redaction: The secrets that are neither written nor compared, by default those of `LogRedaction.standard`.
    ///   - largest: The maximum size in bytes of a response body in the `.har` file, as for
    ///     ``recording(to:redacting:bodiesInFilesOver:)``.
    ///   - file: The test's file. Omit this argument.
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
        let folder =
            folder ?? URL(filePath: "\(file)").deletingLastPathComponent().appending(path: "Replays")
        let recording = folder.appending(path: name.hasSuffix(".har") ? name : "\(name).har")
        return ReplayingDataSource(self, file: recording, mode: mode, options)
    }
}

extension SessionDataTaskDataSource where Self == ReplayingDataSource {
    /// Returns a data source that responds from a recording, or records the responses of the standard data source. The
    /// parameters are the same as for the instance method of this name.
    public static func replaying(
        _ name: String, in folder: URL? = nil, mode: ReplayingDataSource.Mode? = nil,
        matching conditions: [ReplayCondition] = [.method, .url],
        repeats: ReplayingDataSource.Repeats = .fail,
        emptyForMissingBodies: Bool = false, atRecordedPace: Bool = false,
        redirects: RedirectPolicy = .follow(),
        redacting redaction: HAR.Redaction = .standard, bodiesInFilesOver largest: Int? = nil,
        file: StaticString = #filePath
    ) -> ReplayingDataSource {
        WebService.standardDataSource.replaying(
            name, in: folder, mode: mode, matching: conditions, repeats: repeats,
            emptyForMissingBodies: emptyForMissingBodies, atRecordedPace: atRecordedPace,
            redirects: redirects, redacting: redaction, bodiesInFilesOver: largest, file: file)
    }
}

extension ReplayingDataSource {
    struct Options: Sendable {
        var conditions: [ReplayCondition] = [.method, .url]
        var repeats = Repeats.fail
        var emptyForMissingBodies = false
        var atRecordedPace = false
        var redirects = RedirectPolicy.follow()
        var redaction = HAR.Redaction.standard
        var largest: Int?
    }
}
