import Swallow

extension WebService {
    func searchStores(zipCode: String) -> ServiceTask {
        GET("/stores", parameters: ["zip": zipCode])
    }

    func setFavorite(_ isFavorite: Bool, storeID: Int) -> ServiceTask {
        POST("/stores/\(storeID)/favorite", options: [.json(["favorite": isFavorite])])
    }
}
