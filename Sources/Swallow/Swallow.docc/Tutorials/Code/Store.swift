struct Store: Codable, Equatable, Sendable {
    let id: Int
    let name: String
    let street: String
    var isFavorite: Bool?
}
