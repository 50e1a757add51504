import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests through another data source, and stores each exchange in a ``HAR`` file.
///
/// `service.dataSource.recording(to:)` creates this data source, and documents which data is stored.
public struct RecordingDataSource: SessionDataTaskDataSource {
    let base: any SessionDataTaskDataSource
    let file: HARFile
    let redaction: HAR.Redaction
    let largest: Int?
    let beginsAnew: Bool

    /// `beginsAnew` removes the entries of earlier processes.
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

    /// Returns a task that has not started. The base sends the request when the task is resumed.
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
    /// Returns a data source that stores each exchange of this data source in a ``HAR`` file.
    ///
    /// ```swift
    /// service.dataSource = service.dataSource.recording(to: URL(filePath: "/tmp/session.har"))
    /// ```
    ///
    /// Secrets, as defined by ``HAR/Redaction``, are removed before anything is written. Bodies are stored with their
    /// content coding removed. The sizes and times of the parts of a streamed body, the trailers, and the error of a
    /// failed exchange are also stored. Each redirect that was followed has its own entry. Times are taken from the
    /// transfer's metrics if the base has metrics, and otherwise from the service's clock. Requests that were cancelled
    /// or never sent aren't recorded. Request bodies that can be sent only once, or that have more than 16 MB, aren't
    /// recorded either.
    ///
    /// A task completes after its exchange is in the file. If the file can't be written, the task fails with a
    /// `ServiceError` of reason `.invalidResponse` that names the file. Entries are in the order of `resume()`, after the
    /// earlier entries of the file. All data sources of a process that record into one file share a writer. Other processes
    /// wait while it writes.
    ///
    /// - Parameters:
    ///   - file: The recording. If it doesn't exist, it is created with its folder. Otherwise entries are added.
    ///   - redaction: The secrets that aren't written. By default, they are the ones that the log hides.
    ///   - largest: The number of bytes that a response's body may have in the file. A larger body is stored in its own file,
    ///     in the folder `NAME.bodies` beside the recording. `nil`, the default, for no limit.
    public func recording(
        to file: URL, redacting redaction: HAR.Redaction = .standard, bodiesInFilesOver largest: Int? = nil
    ) -> RecordingDataSource {
        RecordingDataSource(self, to: file, redacting: redaction, bodiesInFilesOver: largest)
    }
}
