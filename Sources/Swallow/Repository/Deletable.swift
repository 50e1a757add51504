/// A repository whose entities can be deleted.
///
/// Only a ``SingleEntityRepository`` has a `delete()` without an id. In any other repository it would delete the
/// whole list, if an argument was left out.
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
