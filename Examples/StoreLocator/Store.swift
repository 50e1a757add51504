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
