import Foundation
import Swallow

/// Sends requests through another data source, and stores each exchange in a ``HAR`` file.
///
/// `service.dataSource.recording(to:)` creates this data source. Its documentation lists the data that is stored.
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

    /// Returns a task that has not started. The other data source sends the request when the task is resumed.
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
    /// Returns a data source that stores each exchange of this data source in a ``HAR`` file.
    ///
    /// ```swift
    /// service.dataSource = service.dataSource.recording(to: URL(filePath: "/tmp/session.har"))
    /// ```
    ///
    /// Secrets, as defined by ``HAR/Redaction``, are removed before anything is written. Bodies are stored without
    /// their content coding. Each redirect that was followed has its own entry. Requests that were cancelled or never
    /// sent aren't recorded, nor are request bodies that can be sent only once or are streamed and exceed 16 MB.
    ///
    /// A task completes after its exchange is in the file. If the file can't be written, the task fails with a
    /// `ServiceError` of reason `.invalidResponse`. Entries are in the order of `resume()`, after the earlier entries.
    /// Several data sources and processes may record into one file.
    ///
    /// - Parameters:
    ///   - file: The recording. If it doesn't exist, it is created with its folder. Otherwise entries are added.
    ///   - redaction: The secrets that aren't written. By default, they are the ones that the log hides.
    ///   - largest: The number of bytes above which a response's body is stored in its own file, in the folder
    ///     `NAME.bodies` beside the recording. With `nil`, the default, no body is stored in its own file.
    public func recording(
        to file: URL, redacting redaction: HAR.Redaction = .standard, bodiesInFilesOver largest: Int? = nil
    ) -> RecordingDataSource {
        RecordingDataSource(self, to: file, redacting: redaction, bodiesInFilesOver: largest)
    }
}
