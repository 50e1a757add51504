import Swallow

extension WebService {
    static func storeLocator(url: String) -> WebService {
        var service = WebService(baseURLString: url)
        service.configureTransformer("/stores", methods: [.GET]) { (entity: Entity<JSON>) in
            try entity.content["stores"].decode([Store].self)
        }
        service.configureTransformer("/stores/**/*", decoding: Store.self)

        service.configure { configuration in
            configuration.retry = .standard
            configuration.pipeline[.cleanup].add(ServerMessage())
            configuration.pipeline[.model].cacheUsing(MemoryCache())
        }

        return service
    }
}

extension WebService {
    func searchStores(zipCode: String) -> ServiceTask {
        GET("/stores", parameters: ["zip": zipCode])
    }

    func setFavorite(_ isFavorite: Bool, storeID: Int) -> ServiceTask {
        POST("/stores/\(storeID)/favorite", options: [.json(["favorite": isFavorite])])
    }
}

extension ServiceTask {
    @discardableResult
    func responseAsStores(_ handler: @escaping Handler<[Store]>) -> Self {
        responseContent(as: [Store].self, handler)
    }

    @discardableResult
    func responseAsStore(_ handler: @escaping Handler<Store>) -> Self {
        responseContent(as: Store.self, handler)
    }
}

struct ServerMessage: ResponseTransformer {
    func process(_ response: Response) -> Response {
        response.mapError { error in
            var error = error
            error.userMessage = error.json["message"].string ?? error.userMessage
            return error
        }
    }
}
