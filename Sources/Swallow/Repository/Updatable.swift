/// A repository whose entities can be updated.
///
/// If the server answers with an empty body, the future gives the value that was sent.
public protocol Updatable<Entity>: Repository {
    /// How an entity is read from the answer; by default as `Decodable` says.
    var decoding: Decoding<Entity> { get }
    /// How an entity is written; by default as `Encodable` says. What it throws ends the future with
    /// `.invalidRequest`; nothing is sent.
    var encoding: Encoding<Entity> { get }
}

extension Updatable {
    /// Updates the only entity: `PUT /profile`, or `PATCH`.
    public func update(_ entity: Entity, method: Request.Method = .PUT) -> ServiceFuture<Entity> {
        update(entity, method, at: name)
    }

    /// Updates several entities with one request: `PUT /users` with an array, or `PATCH`.
    public func update(_ entities: [Entity], method: Request.Method = .PUT) -> ServiceFuture<[Entity]> {
        write(entities, method, at: name, reading: envelope.list(decoding)) { [encoding] in
            try encoding.body(of: entities)
        }
    }

    private func update(
        _ entity: Entity, _ method: Request.Method, at path: Request.Path
    ) -> ServiceFuture<Entity> {
        write(entity, method, at: path, reading: envelope.single(decoding)) { [encoding] in
            try encoding.body(of: entity)
        }
    }
}

extension Updatable where Entity: Identifiable, Entity.ID: PathSegmentConvertible {
    /// Updates an entity: `PUT /users/7`, or `PATCH`.
    public func update(_ entity: Entity, method: Request.Method = .PUT) -> ServiceFuture<Entity> {
        update(entity, method, at: path(entity.id))
    }
}

extension Updatable
where Self: SingleEntityRepository, Entity: Identifiable, Entity.ID: PathSegmentConvertible {
    /// Updates the only entity: `PUT /profile`, or `PATCH`.
    public func update(_ entity: Entity, method: Request.Method = .PUT) -> ServiceFuture<Entity> {
        update(entity, method, at: name)
    }
}
