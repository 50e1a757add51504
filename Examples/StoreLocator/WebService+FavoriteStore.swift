import Swallow

extension WebService {
    /// Makes a store the user's favorite, or takes that back; answers with the store.
    func setFavorite(_ isFavorite: Bool, storeID: Int) -> ServiceTask {
        POST(
            "/stores/\(storeID)/favorite", parameters: ["favorite": isFavorite],
            options: [.parameterEncoding(.json)])
    }
}
