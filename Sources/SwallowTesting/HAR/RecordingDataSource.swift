import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests through another data source, and keeps each exchange in a ``HAR`` file:
/// `service.dataSource.recording(to:)` makes one, and says what is kept.
public struct RecordingDataSource: SessionDataTaskDataSource {
    let base: any SessionDataTaskDataSource
    let file: HARFile
    let redaction: HAR.Redaction
    let largest: Int?
    let beginsAnew: Bool

    /// - Parameter beginsAnew: whether the entries of earlier processes go away.
    init(
        _ base: any SessionDataTaskDataSource, to file: URL, redacting redaction: HAR.Redaction,
        bodiesInFilesOver largest: Int?, beginsAnew: Bool = false
    ) {
        self.base = base
        self.file = HARFile.at(file)
        self.redaction = redaction
        self.largest = largest
        self.beginsAnew = beginsAnew
    }

    /// Returns a task that has not started; the base sends its request when it is resumed.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        let secretFields = SenderTerms.current.secretFields
        return ManagedDataTask(completion) {
            RecordingOperation(request, self, hiding: secretFields, $0)
        }
    }
}

extension RecordingDataSource: SizedDataSource {
    package var maximumBodySize: Int { base.maximumBodySize }
}

extension SessionDataTaskDataSource {
    /// Keeps each exchange that goes through this data source in a ``HAR`` file.
    ///
    /// ```swift
    /// service.dataSource = service.dataSource.recording(to: URL(filePath: "/tmp/session.har"))
    /// ```
    ///
    /// What is secret by ``HAR/Redaction`` is taken out before anything is written. Bodies are kept with their content
    /// coding removed; the sizes and times of a streamed one's parts, the trailers and the error of a failed exchange are
    /// kept, too; redirects that were followed are entries of their own. Times are the transfer's metrics where the base
    /// has some, and else what the service's clock shows here. What was cancelled, or never sent, isn't recorded; neither
    /// are request bodies that go out once, or have more than 16 MB.
    ///
    /// A task ends once its exchange is in the file; where that can't be written, it ends in a `ServiceError` of reason
    /// `.invalidResponse` that names the file. Entries stand in the order of `resume()`, after those that the file had
    /// before. All data sources of a process that record into one file share a writer; other processes wait meanwhile.
    ///
    /// - Parameters:
    ///   - file: the recording. It is made if it doesn't exist, with its folder, and else gets more entries.
    ///   - redaction: what isn't written. By default what the log doesn't show either.
    ///   - largest: how many bytes a response's body may have in the file; a larger one gets a file of its own, in the
    ///     folder `NAME.bodies` beside it. Nil, the default, is for no limit.
    public func recording(
        to file: URL, redacting redaction: HAR.Redaction = .standard, bodiesInFilesOver largest: Int? = nil
    ) -> RecordingDataSource {
        RecordingDataSource(self, to: file, redacting: redaction, bodiesInFilesOver: largest)
    }
}
