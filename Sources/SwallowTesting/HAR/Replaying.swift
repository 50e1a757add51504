import Foundation
import Swallow

extension SessionDataTaskDataSource {
    /// Returns a ``ReplayingDataSource`` that responds from a recording, or records the responses of this data source.
    ///
    /// - Parameters:
    ///   - name: The name of the recording. `fetchUser` and `fetchUser.har` both stand for `fetchUser.har` in the
    ///     folder.
    ///   - folder: The folder of the recording. `nil`, the default, stands for `Replays` next to the test's file.
    ///   - mode: Whether requests are sent and recorded. `nil`, the default, reads `missing`, `all` or `replay` from
    ///     the environment's `SWALLOW_RECORD`. If it isn't set, the mode is `replay`.
    ///   - conditions: The conditions that a request and its entry must meet. The default is method and URL.
    ///   - repeats: The response to a request whose entries were all used. By default, the request fails.
    ///   - emptyForMissingBodies: Whether a body that the recording tool didn't store is empty. By default, the request
    ///     fails.
    ///   - atRecordedPace: Whether responses take as long as recorded, by the service's clock. By default, they take no
    ///     time.
    ///   - redirects: The policy that decides which recorded redirects are followed. By default, up to 20 are followed.
    ///     A redirect that was the response during the recording is the response again.
    ///   - redaction: The secrets that are neither written nor compared. By default, they are the ones that the log
    ///     hides.
    ///   - largest: The number of bytes above which a response's body is stored in its own file, as for
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
    /// parameters are the same as in the method with this name on all data sources.
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
