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
