import Swallow

/// The entities of one kind at one path of a service. A repository is ``Readable``, ``Creatable``, ``Updatable``,
/// ``Deletable``, or several of these.
///
/// ```swift
/// struct User: Codable, Identifiable, Sendable {
///     let id: Int
///     var name: String
/// }
///
/// struct Users: Readable, Creatable, Updatable, Deletable {
///     typealias Entity = User
///     let service: WebService
///     let name: Request.Path = "users"
/// }
///
/// let user = try await Users(service: service).read(id: 7).value
/// ```
///
/// Every function returns a ``ServiceFuture``. Nothing is sent before the future is started.
///
/// For a repository within another entity, put the entity's id into the name. The id is percent-encoded as one segment:
///
/// ```swift
/// struct Posts: Readable {
///     typealias Entity = Post
///     let service: WebService
///     let name: Request.Path
/// }
///
/// extension User {
///     func posts(in service: WebService) -> Posts { Posts(service: service, name: "users/\(id)/posts") }
/// }
/// ```
///
/// If an id is empty, `.` or `..`, the future fails with `.invalidURL`.
///
/// To test a repository, give its service a `StubDataSource` from the product SwallowTesting.
public protocol Repository<Entity>: Sendable {
    /// The type of the entities.
    associatedtype Entity: Sendable

    /// The service that sends the repository's requests.
    var service: WebService { get }

    /// The path of the entities, relative to the service's base URL, for example `users`. It may have a query, which
    /// all requests send.
    var name: Request.Path { get }

    /// The members of a response under which the entities are found. By default, they are at its root.
    var envelope: Envelope { get }
}

/// A repository that holds one entity at its name, for example `/profile`.
///
/// Without this protocol, an `Identifiable` entity is updated at its id, for example `/profile/7`, and the only entity
/// can't be deleted.
public protocol SingleEntityRepository: Repository {}

extension Repository where Entity: Decodable {
    /// How an entity is read. By default, `Decodable` reads it with the `WebService.Configuration.jsonDecoding` that
    /// the service has for the repository's name.
    public var decoding: Decoding<Entity> {
        .codable { $0 = service.configuration(of: .GET, name).jsonDecoding }
    }
}

extension Repository where Entity: Encodable {
    /// How an entity is written. By default, `Encodable` writes it with the `WebService.Configuration.jsonEncoding`
    /// that the service has for the repository's name.
    public var encoding: Encoding<Entity> { .codable(service.configuration(of: .POST, name).jsonEncoding) }
}

extension Repository {
    /// The members of a response under which the entities are found. By default, they are at its root.
    public var envelope: Envelope { .none }
}

extension Repository {
    func path(_ id: some PathSegmentConvertible) -> Request.Path {
        name.appending(id)
    }
}

extension Request.Path {
    /// Returns the path with one more segment before its query.
    func appending(_ segment: some PathSegmentConvertible) -> Request.Path {
        let (location, query) = description.locationAndQuery
        let slash = location.utf8.last == UInt8(ascii: "/") ? "" : "/"
        if location.endIndex == description.endIndex { return "\(self)\(raw: slash)\(segment)" }
        let end = query.map { "?\($0)" } ?? ""
        return isValid ? "\(raw: String(location))\(raw: slash)\(segment)\(raw: end)" : self
    }

    /// Whether a request with the path has a URL.
    var isValid: Bool { Self.anyService.address(self) != nil }

    private static let anyService = WebService(baseURLString: "http://localhost")
}
