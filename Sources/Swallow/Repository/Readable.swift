/// A repository whose entities can be read.
public protocol Readable<Entity>: Repository {
    /// How an entity is read from JSON, on a background queue; by default as `Decodable` says.
    ///
    /// Where it doesn't fit, the future ends with `.undecodable`, whose `underlying` is the ``DecodingFailure`` with
    /// the path to the place.
    var decoding: Decoding<Entity> { get }
    /// How lists are divided into pages; by default ``Pagination/headers``.
    var pagination: Pagination { get }
}

extension Readable {
    /// How lists are divided into pages: as the header fields `X-Total`, `X-Per-Page` and `X-Page` say.
    public var pagination: Pagination { .headers }

    /// Reads the only entity: `GET /profile`.
    public func read() -> ServiceFuture<Entity> {
        service.future(with: envelope.single(decoding)) { [name] in $0.GET(name) }
    }

    /// Reads all entities: `GET /users`, and the pages that follow where the answer says that there are more, by the
    /// repository's ``pagination``. It never gives a part of them: without the rest the future fails.
    ///
    /// - Parameter parameters: go into the query; none by default.
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
