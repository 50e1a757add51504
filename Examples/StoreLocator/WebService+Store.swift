import Swallow

extension WebService {
    /// One store with its opening hours.
    func store(id: Int) -> ServiceTask {
        GET("/stores/\(id)")
    }
}
