/// A repository in which entities can be created.
///
/// A server that answers with an empty body gives back what was sent.
public protocol Creatable<Entity>: Repository {
    /// How an entity is read from the answer; by default as `Decodable` says.
    var decoding: Decoding<Entity> { get }
    /// How an entity is written; by default as `Encodable` says. What it throws ends the future with
    /// `.invalidRequest`; nothing is sent.
    var encoding: Encoding<Entity> { get }
    /// Where answers hold entities; by default at their root.
    var envelope: Envelope { get }
}

extension Creatable {
    /// Creates an entity: `POST /users`, or `POST /profile`.
    public func create(_ entity: Entity) -> ServiceFuture<Entity> {
        let (name, decoding, encoding) = (name, envelope.single(decoding), encoding)
        return service.future { service in
            service.POST(name, options: [try encoding.body(of: entity)])
        } reading: { content in
            try content.decoded(with: decoding, orIfEmpty: entity)
        }
    }

    /// Creates several entities with one request: `POST /users` with an array.
    public func create(_ entities: [Entity]) -> ServiceFuture<[Entity]> {
        let (name, decoding, encoding) = (name, envelope.list(decoding), encoding)
        return service.future { service in
            service.POST(name, options: [try encoding.body(of: entities)])
        } reading: { content in
            try content.decoded(with: decoding, orIfEmpty: entities)
        }
    }
}

extension ContentReader {
    /// The body read by a decoding, or what was sent where the server sends nothing back.
    func decoded<Value>(
        with decoding: Decoding<Value>, orIfEmpty sent: Value
    ) throws(ServiceError) -> Value {
        do throws(ServiceError) {
            return try decoded(with: decoding)
        } catch {
            if error.reason == .emptyBody { return sent }
            throw error
        }
    }
}
