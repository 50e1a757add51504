import Swallow

/// A user, or an organisation.
struct Account: Decodable, Identifiable, Sendable {
    let login: String
    let name: String?
    let bio: String?
    let location: String?
    let publicRepos: Int
    let followers: Int

    /// What the API finds accounts by.
    var id: String { login }
}

/// `GET /users/NAME`
struct Accounts: Readable {
    typealias Entity = Account
    let service: WebService
    let name: Request.Path = "users"
    var decoding: Decoding<Account> { .codable { $0.keyDecodingStrategy = .convertFromSnakeCase } }
}
