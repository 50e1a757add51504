import Swallow

/// A repository whose entities can be read.
public protocol Readable<Entity>: Repository {
    /// How an entity is read from JSON, on a background queue. By default, `Decodable` reads it.
    ///
    /// If the JSON doesn't fit, the future fails with `.undecodable`. The error's `underlying` is a `DecodingFailure`
    /// with the path to the problem.
    var decoding: Decoding<Entity> { get }
    /// How the server divides lists into pages. The default is ``Pagination/headers``.
    var pagination: Pagination { get }
}

extension Readable {
    /// How the server divides lists into pages: as the header fields `X-Total`, `X-Per-Page` and `X-Page` describe.
    public var pagination: Pagination { .headers }

    /// Reads the only entity: `GET /profile`.
    public func read() -> ServiceFuture<Entity> {
        service.future(with: envelope.single(decoding)) { [name] in $0.GET(name) }
    }

    /// Reads all entities: `GET /users`. If the response refers to more pages, reads these too, as the repository's
    /// ``pagination`` specifies. The future succeeds only with all entities. If a page can't be read, it fails.
    ///
    /// - Parameter parameters: The parameters for the query. The default is none.
    public func readAll(parameters: Parameters = [:]) -> ServiceFuture<[Entity]> {
        let pages = PageSequence(
            start: Result { () throws(ServiceError) in try pagination.referenceToAll(parameters: parameters)
            },
            prefetches: false
        ) { reference in read(reference, isWhole: reference.position == .start) }
        return ServiceFuture { () async throws -> [Entity] in
            var entities: [Entity] = []
            for try await page in pages { entities += page.items }
            return entities
        }
    }
}

extension Readable where Entity: Identifiable, Entity.ID: PathSegmentConvertible {
    /// Reads one entity: `GET /users/7`.
    public func read(id: Entity.ID) -> ServiceFuture<Entity> { read(at: path(id)) }
}

extension Readable where Entity: Identifiable {
    /// Reads one entity of a type with an optional id: `GET /users/7`.
    public func read<ID: PathSegmentConvertible>(id: ID) -> ServiceFuture<Entity> where Entity.ID == ID? {
        read(at: path(id))
    }

    private func read(at path: Request.Path) -> ServiceFuture<Entity> {
        service.future(with: envelope.single(decoding)) { $0.GET(path) }
    }
}
