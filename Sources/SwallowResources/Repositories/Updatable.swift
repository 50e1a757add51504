import Swallow

/// A repository whose entities can be updated.
///
/// If the server returns an empty body, the future succeeds with the value that was sent.
public protocol Updatable<Entity>: Repository {
    /// How an entity is read from the response. By default, `Decodable` reads it.
    var decoding: Decoding<Entity> { get }
    /// How an entity is written. By default, `Encodable` writes it. If it throws, the future fails with
    /// `.invalidRequest`, and nothing is sent.
    var encoding: Encoding<Entity> { get }
}

extension Updatable {
    /// Updates an entity: `PUT /users/7`, or `PATCH`.
    ///
    /// The path of an `Identifiable` entity ends with its id, so an update never replaces a complete collection. If the id
    /// is `nil`, or its type isn't a `PathSegmentConvertible`, the future fails with `.invalidRequest`. The entity of a
    /// ``SingleEntityRepository``, and an entity that isn't `Identifiable`, is updated at the repository's name:
    /// `PUT /profile`.
    ///
    /// - Parameters:
    ///   - entity: The entity to send.
    ///   - method: The method, by default `PUT`.
    public func update(_ entity: Entity, method: Request.Method = .PUT) -> ServiceFuture<Entity> {
        do throws(ServiceError) {
            return write(entity, method, at: try path(of: entity), reading: envelope.single(decoding)) {
                [encoding] in try encoding.body(of: entity)
            }
        } catch {
            return ServiceFuture(error: error)
        }
    }

    /// Updates several entities with one request: `PUT /users` with an array, or `PATCH`.
    public func update(_ entities: [Entity], method: Request.Method = .PUT) -> ServiceFuture<[Entity]> {
        write(entities, method, at: name, reading: envelope.list(decoding)) { [encoding] in
            try encoding.body(of: entities)
        }
    }

    // The id is found at run time. The compiler doesn't choose an overload for `Identifiable` entities in generic code
    // or for an optional id, so there the update of one entity would address the complete collection.
    private func path(of entity: Entity) throws(ServiceError) -> Request.Path {
        guard !(self is any SingleEntityRepository), let identifiable = entity as? any Identifiable else {
            return name
        }
        let id: Any = identifiable.id
        // The cast unwraps an optional id.
        if let id = id as? any PathSegmentConvertible { return path(id) }
        let detail = "the id of the \(Entity.self) to update must be a path segment, but it is \(id)"
        throw ServiceError(.invalidRequest, detail: detail)
    }
}
