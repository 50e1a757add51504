import Foundation
import Observation
import Swallow

/// The model of the catalog's download, which resumes after an interruption.
@MainActor
@Observable
public final class CatalogDownload {
    /// The state of the download.
    public enum State: Equatable {
        /// The download hasn't started, or was cancelled.
        case idle
        /// The received fraction from 0 to 1, or nil if the size isn't known.
        case loading(Double?)
        /// The file is complete.
        case done(URL)
        /// The download failed, with a message for the user. The partial file remains.
        case failed(String)
    }

    /// The current state of the download.
    public private(set) var state = State.idle

    private let service: WebService
    private let file: URL
    @ObservationIgnored private var task: ServiceTask?

    /// Creates a download that hasn't started.
    ///
    /// - Parameter file: The destination of the download.
    public init(service: WebService, to file: URL) {
        self.service = service
        self.file = file
    }

    /// Starts the download, or resumes it after a failure.
    public func start() {
        if case .loading = state { return }
        state = .loading(nil)
        task = service.catalog(to: file)
            .downloadProgress { [weak self] progress in self?.receive(progress) }
            .responseFile { [weak self] file in self?.state = .done(file) }
            .responseError { [weak self] error in
                self?.state = error.isCancelled ? .idle : .failed(error.userMessage)
            }
    }

    /// Cancels the download. The partial file remains, so ``start()`` can resume it.
    public func cancel() { task?.cancel() }

    private func receive(_ progress: TransferProgress) {
        guard case .loading = state else { return }
        state = .loading(
            progress.expectedToReceive.map { $0 > 0 ? Double(progress.received) / Double($0) : 0 })
    }
}
