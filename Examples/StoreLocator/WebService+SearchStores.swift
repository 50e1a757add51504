import Swallow

extension WebService {
    /// The stores around a zip code, nearest first.
    func searchStores(zipCode: String) -> ServiceTask {
        GET("/stores", parameters: ["zip": zipCode])
    }
}
