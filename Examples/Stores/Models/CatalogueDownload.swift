import Foundation
import Observation
import Swallow

/// The catalogue, as a file that goes on where it broke off.
@MainActor
@Observable
public final class CatalogueDownload {
    /// How it stands.
    public enum State: Equatable {
        /// Nothing has been asked for.
        case idle
        /// What part is here, from 0 to 1; nil where nobody knows how long it is.
        case loading(Double?)
        /// The file is whole.
        case done(URL)
        /// It broke off; what came is kept. In words for the user.
        case failed(String)
    }

    /// How it stands.
    public private(set) var state = State.idle

    private let service: WebService
    private let file: URL
    @ObservationIgnored private var task: ServiceTask?

    /// Makes a download that has not begun.
    ///
    /// - Parameter file: where the catalogue is to be.
    public init(service: WebService, to file: URL) {
        self.service = service
        self.file = file
    }

    /// Begins, or goes on after a failure.
    public func start() {
        if case .loading = state { return }
        state = .loading(nil)
        task = service.catalogue(to: file)
            .downloadProgress { [weak self] progress in self?.take(progress) }
            .responseFile { [weak self] file in self?.state = .done(file) }
            .responseError { [weak self] error in
                self?.state = error.isCancelled ? .idle : .failed(error.userMessage)
            }
    }

    /// Ends it for now; what came is kept.
    public func cancel() { task?.cancel() }

    private func take(_ progress: TransferProgress) {
        guard case .loading = state else { return }
        state = .loading(
            progress.expectedToReceive.map { $0 > 0 ? Double(progress.received) / Double($0) : 0 })
    }
}
