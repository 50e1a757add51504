import Swallow

/// A repository whose models can be deleted.
///
/// Only a ``SingleModelRepository`` has `delete()` without an id. For any other, `DELETE /users` would delete the list.
public protocol Deletable<Model>: Repository {}

extension Deletable where Model: Identifiable, Model.ID: PathSegmentConvertible {
    /// Deletes one model: `DELETE /users/7`. The body of the response is usually ignored.
    public func delete(id: Model.ID) -> ServiceFuture<Void> { delete(at: path(id)) }
}

extension Deletable where Model: Identifiable {
    /// Deletes one model of a type with an optional id: `DELETE /users/7`. The body of the response is usually ignored.
    public func delete<ID: PathSegmentConvertible>(id: ID) -> ServiceFuture<Void> where Model.ID == ID? {
        delete(at: path(id))
    }
}

extension Deletable where Self: SingleModelRepository {
    /// Deletes the only model: `DELETE /profile`. The body of the response is usually ignored.
    public func delete() -> ServiceFuture<Void> { delete(at: name) }
}

extension Deletable {
    private func delete(at path: Request.Path) -> ServiceFuture<Void> {
        service.future { $0.DELETE(path) }
    }
}
