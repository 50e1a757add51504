import Foundation
import Observation
import Swallow

/// The list of stores, searched while somebody types.
@MainActor
@Observable
public final class StoreSearch {
    /// What is searched for: a moment after the latest change.
    public var text = "" {
        didSet { if text != oldValue { searchSoon() } }
    }
    /// What the latest search found.
    public private(set) var stores: [Store] = []
    /// Whether a search is under way.
    public private(set) var isSearching = false
    /// Why there is nothing newer, in words for the user.
    public private(set) var message: String?
    /// When the server said so, where it can't be asked now.
    public private(set) var offlineSince: Date?

    private let service: WebService
    @ObservationIgnored private var pause: ScheduledWork?
    @ObservationIgnored private var task: ServiceTask?

    /// How long nobody types before the server is asked.
    static let pause = Duration.milliseconds(300)

    /// Makes an empty list.
    public init(service: WebService) {
        self.service = service
    }

    private func searchSoon() {
        pause?.cancel()
        let text = text
        pause = service.clock.schedule(after: Self.pause) { [weak self] in
            Task { @MainActor in
                // Meanwhile another letter may have been typed.
                if let self, self.text == text { self.search() }
            }
        }
    }

    /// Searches now, in place of any earlier search.
    public func search() {
        pause?.cancel()
        task?.cancel()
        isSearching = true
        task = service.searchStores(text)
            .responseCompleted { [weak self] result in self?.take(result) }
    }

    /// Searches, and returns once the answer is here: what a list that is pulled down waits for.
    public func refresh() async {
        search()
        _ = await task?.result
    }

    private func take(_ result: Result<Entity<any Sendable>, ServiceError>) {
        switch result {
        case .success(let entity):
            do {
                stores = try entity.json.decode()
                message = nil
                offlineSince = entity.origin == .cache ? entity.timestamp : nil
            } catch {
                message = "The server's response was not in the expected format."
            }
        // Another search has taken its place.
        case .failure(let error) where error.isCancelled: return
        case .failure(let error): message = error.userMessage
        }
        isSearching = false
    }
}
