/// A repository whose entities can be deleted.
///
/// Where it holds one entity, `delete()` wants it to be a ``SingleEntityRepository``: at the name of any other is the
/// list, and nobody deletes that by leaving out an argument.
public protocol Deletable<Entity>: Repository {}

extension Deletable where Entity: Identifiable, Entity.ID: PathSegmentConvertible {
    /// Deletes one entity: `DELETE /users/7`. The answer's body doesn't matter.
    public func delete(id: Entity.ID) -> ServiceFuture<Void> {
        let path = path(id)
        return service.future { $0.DELETE(path) }
    }
}

extension Deletable where Self: SingleEntityRepository {
    /// Deletes the only entity: `DELETE /profile`. The answer's body doesn't matter.
    public func delete() -> ServiceFuture<Void> {
        service.future { [name] in $0.DELETE(name) }
    }
}
