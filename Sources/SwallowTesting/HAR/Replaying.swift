import Foundation
import Swallow

extension SessionDataTaskDataSource {
    /// Returns a ``ReplayingDataSource`` that responds from a recording, or creates the recording with this data
    /// source.
    ///
    /// - Parameters:
    ///   - name: The name of the recording. `fetchUser` and `fetchUser.har` both stand for `Replays/fetchUser.har` next
    ///     to the test's file.
    ///   - folder: The folder of the recording. `nil`, the default, stands for the folder `Replays` next to the test's
    ///     file.
    ///   - mode: Whether requests are sent and recorded. `nil`, the default, reads the environment's `SWALLOW_RECORD`
    ///     when the data source is created. It can be `missing`, `all` or `replay`. If it isn't set, the mode is
    ///     `replay`.
    ///   - conditions: The conditions that a request and its entry must meet. The default is method and URL.
    ///   - repeats: The response to a request whose entries were all used. The default is an error.
    ///   - emptyForMissingBodies: Whether a response has an empty body if the recording tool didn't store its body. By
    ///     default, the request fails with an error that states this.
    ///   - atRecordedPace: Whether responses take as long as recorded, measured by the service's clock. By default,
    ///     they take no time.
    ///   - redirects: The policy that decides which recorded redirects are followed. The default is the default policy
    ///     of the real data sources. A redirect that was the response during the recording is the response again.
    ///   - redaction: The secrets that are neither written nor compared. By default, they are the ones that the log
    ///     hides.
    ///   - largest: The maximum size in bytes of a body in the recording, as for
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
        return ReplayingDataSource(
            self, file: ReplayingDataSource.file(name, in: folder, besides: file), mode: mode, options)
    }
}

extension SessionDataTaskDataSource where Self == ReplayingDataSource {
    /// Returns a data source that responds from a recording, or creates the recording with the standard data source.
    /// For the parameters, see the method with this name on all data sources.
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
    struct Options: Sendable {
        var conditions: [ReplayCondition] = [.method, .url]
        var repeats = Repeats.fail
        var emptyForMissingBodies = false
        var atRecordedPace = false
        var redirects = RedirectPolicy.follow()
        var redaction = HAR.Redaction.standard
        /// In bytes. `nil` for no limit.
        var largest: Int?
    }

    /// The folder is `Replays` next to the test's file if `folder` is `nil`.
    fileprivate static func file(_ name: String, in folder: URL?, besides test: StaticString) -> URL {
        let folder =
            folder ?? URL(filePath: "\(test)").deletingLastPathComponent().appending(path: "Replays")
        return folder.appending(path: name.hasSuffix(".har") ? name : "\(name).har")
    }
}
