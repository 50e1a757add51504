import Swallow

/// A repository in which entities can be created.
///
/// If the server returns an empty body, the future succeeds with the value that was sent.
public protocol Creatable<Entity>: Repository {
    /// How an entity is read from the response. By default, `Decodable` reads it.
    var decoding: Decoding<Entity> { get }
    /// How an entity is written. By default, `Encodable` writes it. If it throws, the future fails with
    /// `.invalidRequest`, and nothing is sent.
    var encoding: Encoding<Entity> { get }
}

extension Creatable {
    /// Creates an entity: `POST /users`, or `POST /profile`.
    public func create(_ entity: Entity) -> ServiceFuture<Entity> {
        write(entity, .POST, at: name, reading: envelope.single(decoding)) { [encoding] in
            try encoding.body(of: entity)
        }
    }

    /// Creates several entities with one request: `POST /users` with an array.
    public func create(_ entities: [Entity]) -> ServiceFuture<[Entity]> {
        write(entities, .POST, at: name, reading: envelope.list(decoding)) { [encoding] in
            try encoding.body(of: entities)
        }
    }
}
