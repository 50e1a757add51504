import Swallow

/// A repository whose entities can be deleted.
///
/// Only a ``SingleEntityRepository`` has a `delete()` without an id. In any other repository, a forgotten argument
/// would delete the complete list.
public protocol Deletable<Entity>: Repository {}

extension Deletable where Entity: Identifiable, Entity.ID: PathSegmentConvertible {
    /// Deletes one entity: `DELETE /users/7`. The body of the response is ignored.
    public func delete(id: Entity.ID) -> ServiceFuture<Void> { delete(at: path(id)) }
}

extension Deletable where Entity: Identifiable {
    /// Deletes one entity of a type with an optional id: `DELETE /users/7`. The body of the response is ignored.
    public func delete<ID: PathSegmentConvertible>(id: ID) -> ServiceFuture<Void> where Entity.ID == ID? {
        delete(at: path(id))
    }
}

extension Deletable where Self: SingleEntityRepository {
    /// Deletes the only entity: `DELETE /profile`. The body of the response is ignored.
    public func delete() -> ServiceFuture<Void> { delete(at: name) }
}

extension Deletable {
    private func delete(at path: Request.Path) -> ServiceFuture<Void> {
        service.future { $0.DELETE(path) }
    }
}
