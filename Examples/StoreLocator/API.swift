import Swallow

/// A store, as the server describes it.
struct Store: Decodable, Sendable {
    let id: Int
    let name: String
    let street: String
    let city: String
    /// In kilometres from the middle of the zip code's area; only in search results.
    let distance: Double?
    /// Opening hours; only where one store is asked for.
    let hours: String?
    var isFavorite: Bool?
}

// MARK: - Service

extension WebService {
    /// The store locator's service: what its answers mean, for all requests in one place.
    static func storeLocator(url: String) -> WebService {
        var service = WebService(baseURLString: url)
        service.configureTransformer("/stores", methods: [.GET]) { (entity: Entity<JSON>) in
            try entity.content["stores"].decode([Store].self)
        }
        service.configureTransformer("/stores/**/*", decoding: Store.self)
        service.configure { configuration in
            configuration.pipeline[.cleanup].add(ServerMessage())
            configuration.pipeline[.model].cacheUsing(MemoryCache())
        }
        return service
    }
}

// MARK: - Endpoints

extension WebService {
    /// The stores around a zip code, nearest first.
    func searchStores(zipCode: String) -> ServiceTask {
        GET("/stores", parameters: ["zip": zipCode])
    }

    /// One store with its opening hours.
    func store(id: Int) -> ServiceTask {
        GET("/stores/\(id)")
    }

    /// Makes a store the user's favorite, or takes that back; answers with the store.
    func setFavorite(_ isFavorite: Bool, storeID: Int) -> ServiceTask {
        POST(
            "/stores/\(storeID)/favorite", parameters: ["favorite": isFavorite],
            options: [.parameterEncoding(.json)])
    }
}

extension ServiceTask {
    /// Hands a list of stores to the handler.
    @discardableResult
    func responseAsStores(_ handler: @escaping @MainActor ([Store]) throws -> Void) -> Self {
        responseContent(as: [Store].self, handler)
    }

    /// Hands one store to the handler.
    @discardableResult
    func responseAsStore(_ handler: @escaping @MainActor (Store) throws -> Void) -> Self {
        responseContent(as: Store.self, handler)
    }
}

/// Takes the words for the user from the server, where it has any.
private struct ServerMessage: ResponseTransformer {
    func process(_ outcome: Outcome) -> Outcome {
        outcome.mapError { error in
            var error = error
            error.userMessage = error.json["message"].string ?? error.userMessage
            return error
        }
    }
}
