import Foundation
import Observation
import Swallow

/// The model of the list of stores, which searches while the user types.
@MainActor
@Observable
public final class StoreSearch {
    /// The text to search for. The search begins 300 milliseconds after the latest change.
    public var text = "" {
        didSet { if text != oldValue { searchSoon() } }
    }
    /// The stores that the latest successful search found.
    public private(set) var stores: [Store] = []
    /// Whether a search is in flight.
    public private(set) var isSearching = false
    /// The error message of the latest search, for the user.
    public private(set) var message: String?
    /// The time of the cached response that the list shows, or nil if the list shows the server's response.
    public private(set) var offlineSince: Date?

    private let service: WebService
    @ObservationIgnored private var pause: ScheduledWork?
    @ObservationIgnored private var task: ServiceTask?

    /// The time between the latest change of the text and the search.
    static let pause = Duration.milliseconds(300)

    /// Creates an empty list.
    public init(service: WebService) {
        self.service = service
    }

    private func searchSoon() {
        pause?.cancel()
        let text = text
        pause = service.clock.schedule(after: Self.pause) { [weak self] in
            Task { @MainActor in
                // The text may have changed before this task runs.
                if let self, self.text == text { self.search() }
            }
        }
    }

    /// Searches immediately. Cancels an earlier search that is in flight.
    public func search() {
        pause?.cancel()
        task?.cancel()
        isSearching = true
        task = service.searchStores(text)
            .responseCompleted { [weak self] result in self?.receive(result) }
    }

    /// Searches, and returns when the search is complete. `refreshable` needs this.
    public func refresh() async {
        search()
        _ = await task?.result
    }

    private func receive(_ result: Result<Entity<any Sendable>, ServiceError>) {
        switch result {
        case .success(let entity):
            do {
                stores = try entity.json.decode()
                message = nil
                offlineSince = entity.origin == .cache ? entity.timestamp : nil
            } catch {
                message = "The server's response was not in the expected format."
            }
        // A newer search has replaced this one.
        case .failure(let error) where error.isCancelled: return
        case .failure(let error): message = error.userMessage
        }
        isSearching = false
    }
}
