import Foundation
import Observation
import Swallow
import SwallowResources

/// One store, with its picture and whether the user likes it.
@MainActor
@Observable
public final class StoreDetail {
    /// What the server says of the store, shared by all screens that show it.
    public let store: Resource<Store>
    /// The picture's bytes.
    public private(set) var image: Data?
    /// Why the latest change was undone, in words for the user.
    public private(set) var message: String?
    /// Whether the server is being told of a change; until it has answered there is no other.
    public private(set) var isChanging = false

    private let service: WebService
    private let id: Store.ID

    /// Makes a screen; nothing is asked before ``load()``.
    public init(id: Store.ID, in session: Session) {
        self.id = id
        service = session.service
        store = session.resources.resource("/stores/\(id)", as: Store.self)
    }

    /// Shows what there is, and asks for what is missing or old.
    public func load() async {
        store.loadIfNeeded()
        if image == nil { image = try? await service.image(of: id).data }
    }

    /// Tries again after a failure.
    public func retry() {
        message = nil
        store.load()
    }

    /// Likes the store, or doesn't any more: at once, and undone where the server doesn't take it.
    public func toggleFavorite() {
        guard !isChanging, let before = store.latestContent else { return }
        var after = before
        after.isFavorite.toggle()
        (isChanging, message) = (true, nil)
        store.override(content: after)
        service.PUT("/favorites/\(id)", parameters: ["isFavorite": after.isFavorite])
            .responseCompleted { [weak self] result in
                guard let self else { return }
                isChanging = false
                guard case .failure(let error) = result else { return }
                message = error.userMessage
                if store.latestContent == after { store.override(content: before) }
            }
    }
}
