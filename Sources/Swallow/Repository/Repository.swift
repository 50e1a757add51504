/// The entities of one kind at one place of a service: ``Readable``, ``Creatable``, ``Updatable``, ``Deletable``, or
/// several of these.
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
/// Every function gives a ``ServiceFuture``: nothing is sent before that is started.
///
/// A repository within another is one whose name has the other's id in it, percent-encoded as one segment:
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
/// An id that is empty, `.` or `..` ends the future with `.invalidURL`.
///
/// To test a repository, give its service a `StubDataSource`, of the product SwallowTesting.
public protocol Repository<Entity>: Sendable {
    /// What the repository holds.
    associatedtype Entity: Sendable

    /// The service that the repository is on.
    var service: WebService { get }

    /// Where the entities are, relative to the service's base URL: `users`. It may have a query, which all requests
    /// get.
    var name: Request.Path { get }

    /// Where answers hold entities; by default at their root.
    var envelope: Envelope { get }
}

/// A repository that holds one entity, at its name: `/profile`.
///
/// Without it an entity that is `Identifiable` is updated at its id, `/profile/7`, and nothing deletes the only entity.
public protocol SingleEntityRepository: Repository {}

extension Repository where Entity: Decodable {
    /// How an entity is read: as `Decodable` and the service's ``Configuration/jsonDecoding`` for the repository's
    /// name say.
    public var decoding: Decoding<Entity> { .codable(service.configuration(of: .GET, name).jsonDecoding) }
}

extension Repository where Entity: Encodable {
    /// How an entity is written: as `Encodable` and the service's ``Configuration/jsonEncoding`` for the
    /// repository's name say.
    public var encoding: Encoding<Entity> { .codable(service.configuration(of: .POST, name).jsonEncoding) }
}

extension Repository {
    /// Where answers hold entities: nowhere but at their root.
    public var envelope: Envelope { .none }
}

extension Repository {
    func path(_ id: some PathSegmentConvertible) -> Request.Path {
        name.appending(id)
    }
}

extension Request.Path {
    /// The path with one more segment, before its query.
    func appending(_ segment: some PathSegmentConvertible) -> Request.Path {
        let (location, query) = text.locationAndQuery
        var path = StringInterpolation(literalCapacity: text.utf8.count + 1, interpolationCount: 1)
        path.appendLiteral(String(location))
        if location.utf8.last != UInt8(ascii: "/") { path.appendLiteral("/") }
        path.appendInterpolation(segment)
        if let query { path.appendLiteral("?\(query)") }
        path.problem = problem ?? path.problem
        return Request.Path(stringInterpolation: path)
    }
}
