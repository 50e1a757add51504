import Swallow

extension WebService {
    static func storeLocator(url: String) -> WebService {
        var service = WebService(baseURLString: url)
        service.configureTransformer("/stores", methods: [.GET]) { (entity: Entity<JSON>) in
            try entity.content["stores"].decode([Store].self)
        }
        service.configureTransformer("/stores/**/*", decoding: Store.self)

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
