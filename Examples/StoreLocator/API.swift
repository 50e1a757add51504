import Swallow

/// A store of the server.
struct Store: Decodable, Sendable {
    let id: Int
    let name: String
    let street: String
    let city: String
    /// The distance in kilometers from the center of the zip code. Only search results have it.
    let distance: Double?
    /// The opening hours. Only the response for a single store has them.
    let hours: String?
    var isFavorite: Bool?
}

// MARK: - Service

extension WebService {
    /// The service of the store locator, with the decoding and caching of its responses.
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
    /// Requests the stores around a zip code, nearest first.
    func searchStores(zipCode: String) -> ServiceTask {
        GET("/stores", parameters: ["zip": zipCode])
    }

    /// Requests one store with its opening hours.
    func store(id: Int) -> ServiceTask {
        GET("/stores/\(id)")
    }

    /// Adds a store to the user's favorites, or removes it. The response is the store.
    func setFavorite(_ isFavorite: Bool, storeID: Int) -> ServiceTask {
        POST(
            "/stores/\(storeID)/favorite", parameters: ["favorite": isFavorite],
            options: [.parameterEncoding(.json)])
    }
}

extension ServiceTask {
    /// Passes the stores of the response to a handler.
    @discardableResult
    func responseAsStores(_ handler: @escaping @MainActor ([Store]) throws -> Void) -> Self {
        responseContent(as: [Store].self, handler)
    }

    /// Passes the store of the response to a handler.
    @discardableResult
    func responseAsStore(_ handler: @escaping @MainActor (Store) throws -> Void) -> Self {
        responseContent(as: Store.self, handler)
    }
}

/// Shows the user the message of the server's error response, if it has one.
private struct ServerMessage: ResponseTransformer {
    func process(_ outcome: Outcome) -> Outcome {
        outcome.mapError { error in
            var error = error
            error.userMessage = error.json["message"].string ?? error.userMessage
            return error
        }
    }
}
