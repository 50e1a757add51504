import Foundation
import Swallow

/// A store, as the server describes it.
public struct Store: Codable, Identifiable, Hashable, Sendable {
    /// What the server knows it by.
    public let id: Int
    /// What a person calls it.
    public let name: String
    /// Where it is.
    public let city: String
    /// Whether the user likes it.
    public var isFavorite: Bool
}

/// What a customer says about a store.
public struct Review: Codable, Identifiable, Hashable, Sendable {
    /// The number that the server has given to the review.
    public let id: Int
    /// The customer's words.
    public let text: String
}

extension WebService {
    /// The stores whose name or city has a text in it.
    func searchStores(_ text: String) -> ServiceTask {
        GET("/stores", parameters: ["search": text])
    }

    /// A picture of a store.
    func image(of store: Store.ID) -> ServiceTask {
        GET("/stores/\(store)/image")
    }

    /// Everything there is to buy, as one file.
    func catalogue(to file: URL) -> ServiceTask {
        GET("/catalogue", options: [.download(to: file, resumes: true)])
    }

    /// The service as the screens use it: what was read is there offline, and what may pass is tried again.
    ///
    /// - Parameter cache: keeps what was read.
    public func forStores(cache: any EntityCache) -> WebService {
        configured { configuration in
            configuration.retry = .standard
            configuration.pipeline[.rawData].cacheUsing(cache)
        }
    }
}
