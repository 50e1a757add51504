import Foundation
import Observation
import Swallow
import SwallowResources

/// One store, with its picture, its reviews, and whether the user likes it.
@MainActor
@Observable
public final class StoreDetail {
    /// The store's data, shared by all screens that show it.
    public let store: Resource<Store>
    /// The reviews, page by page.
    public let reviews: PagedResource<Review>
    /// The state of the latest change of the favorite.
    public let favorite = Mutation()
    /// The picture's bytes.
    public private(set) var image: Data?

    private let service: WebService
    private let id: Store.ID

    /// Creates a screen. Nothing is sent before ``appear()``.
    public init(id: Store.ID, in session: Session) {
        self.id = id
        service = session.service
        store = session.resources.resource("/stores/\(id)", as: Store.self)
        reviews = session.resources.pages("/stores/\(id)/reviews", of: Review.self, pagination: .link)
    }

    /// Loads what is missing or out of date, and keeps it current until ``disappear()``.
    public func appear() async {
        store.addObserver(owner: self) { _, _, _ in }
        reviews.addObserver(owner: self) { _, _, _ in }
        store.loadIfNeeded()
        reviews.firstPage.loadIfNeeded()
        if image == nil { image = try? await service.image(of: id).data }
    }

    /// Ends the refreshes.
    public func disappear() {
        store.removeObservers(ownedBy: self)
        reviews.removeObservers(ownedBy: self)
    }

    /// Shows immediately that the user likes the store, or doesn't any more. Undoes it if the server doesn't accept it.
    public func toggleFavorite() {
        guard let isFavorite = store.latestContent.map({ !$0.isFavorite }) else { return }
        let path: Request.Path = "/favorites/\(id)"
        store.change({ $0.isFavorite = isFavorite }, tracking: favorite) { [service] _ in
            service.PUT(path, parameters: ["isFavorite": isFavorite])
        }
    }
}
