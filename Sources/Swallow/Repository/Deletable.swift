/// A repository whose entities can be deleted.
public protocol Deletable<Entity>: Repository {}

extension Deletable {
    /// Deletes the only entity: `DELETE /profile`. The answer's body doesn't matter.
    public func delete() -> ServiceFuture<Void> {
        service.future { [name] in $0.DELETE(name) }
    }
}

extension Deletable where Entity: Identifiable, Entity.ID: PathSegmentConvertible {
    /// Deletes one entity: `DELETE /users/7`. The answer's body doesn't matter.
    public func delete(id: Entity.ID) -> ServiceFuture<Void> {
        let path = path(id)
        return service.future { $0.DELETE(path) }
    }

    /// Deletes what is at the repository's name, which may be all entities.
    @available(
        *, deprecated,
        message: "Name the entity: delete(id:). Where there is only one, declare a SingleEntityRepository."
    )
    public func delete() -> ServiceFuture<Void> {
        service.future { [name] in $0.DELETE(name) }
    }
}

extension Deletable
where Self: SingleEntityRepository, Entity: Identifiable, Entity.ID: PathSegmentConvertible {
    /// Deletes the only entity: `DELETE /profile`. The answer's body doesn't matter.
    public func delete() -> ServiceFuture<Void> {
        service.future { [name] in $0.DELETE(name) }
    }
}
