import Swallow

/// A repository whose models can be updated. If a successful response has an empty body, the future of an update
/// succeeds with the value that was sent.
public protocol Updatable<Model>: Repository {
    /// How a model is read from the response. By default, `Decodable` reads it.
    var decoding: Decoding<Model> { get }
    /// How a model is written, by default with `Encodable`. If writing throws, the future fails with `.invalidRequest`.
    var encoding: Encoding<Model> { get }
}

extension Updatable {
    /// Updates a model: `PUT /users/7`, or `PATCH`.
    ///
    /// A ``SingleModelRepository``, and a model that isn't `Identifiable`, use the repository's name: `PUT /profile`.
    /// If any other model's id is `nil` or isn't a `PathSegmentConvertible`, the future fails with `.invalidRequest`.
    ///
    /// - Parameters:
    ///   - model: The model to send.
    ///   - method: The method. The default is `PUT`.
    public func update(_ model: Model, method: Request.Method = .PUT) -> ServiceFuture<Model> {
        do throws(ServiceError) {
            return write(model, method, at: try path(of: model), reading: envelope.single(decoding)) {
                [encoding] in try encoding.data(of: model)
            }
        } catch {
            return ServiceFuture(error: error)
        }
    }

    /// Updates several models with one request: `PUT /users` with an array, or `PATCH`.
    public func update(_ models: [Model], method: Request.Method = .PUT) -> ServiceFuture<[Model]> {
        write(models, method, at: name, reading: envelope.list(decoding)) { [encoding] in
            try encoding.data(of: models)
        }
    }

    // Checked at run time, because in this generic code the compiler doesn't know whether the model is `Identifiable`.
    private func path(of model: Model) throws(ServiceError) -> Request.Path {
        guard !(self is any SingleModelRepository), let identifiable = model as? any Identifiable else {
            return name
        }
        let id: Any = identifiable.id
        // The cast unwraps an optional id.
        if let id = id as? any PathSegmentConvertible { return path(id) }
        let detail = "the id of the \(Model.self) to update must be a path segment, but it is \(id)"
        throw ServiceError(.invalidRequest, detail: detail)
    }
}
