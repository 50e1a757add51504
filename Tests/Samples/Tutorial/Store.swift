struct Store: Codable, Identifiable, Equatable, Sendable {
    let id: Int
    let name: String
}
