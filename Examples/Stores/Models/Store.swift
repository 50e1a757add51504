import Foundation
import Swallow

/// A store in the form of the server's JSON.
public struct Store: Codable, Identifiable, Hashable, Sendable {
    /// The number by which the server identifies the store.
    public let id: Int
    /// The name of the store, for the user.
    public let name: String
    /// The city of the store.
    public let city: String
    /// Whether the user marked the store as a favorite.
    public var isFavorite: Bool
}

/// A customer's review of a store.
public struct Review: Codable, Identifiable, Hashable, Sendable {
    /// The number by which the server identifies the review.
    public let id: Int
    /// The text that the customer wrote.
    public let text: String
}

extension WebService {
    /// Requests the stores whose name or city contains the text.
    func searchStores(_ text: String) -> ServiceTask {
        GET("/stores", parameters: ["search": text])
    }

    /// Requests the picture of a store.
    func image(of store: Store.ID) -> ServiceTask {
        GET("/stores/\(store)/image")
    }

    /// Downloads the catalog of all products to a file. If a partial file exists, the download resumes.
    func catalog(to file: URL) -> ServiceTask {
        GET("/catalog", options: [.download(to: file, resumes: true)])
    }

    /// Returns the service with the settings that the screens need: it caches responses, and retries temporary failures.
    ///
    /// - Parameter cache: Stores the responses. The screens show them if the server can't be reached.
    public func forStores(cache: any EntityCache) -> WebService {
        configured { configuration in
            configuration.retry = .standard
            configuration.pipeline[.rawData].cacheUsing(cache)
        }
    }
}
