import Swallow

/// A repository in which models can be created. If a successful response has an empty body, the future of `create`
/// succeeds with the value that was sent.
public protocol Creatable<Model>: Repository {
    /// How a model is read from the response. By default, `Decodable` reads it.
    var decoding: Decoding<Model> { get }
    /// How a model is written, by default with `Encodable`. If writing throws, the future fails with `.invalidRequest`.
    var encoding: Encoding<Model> { get }
}

extension Creatable {
    /// Creates a model with a request to the repository's name: `POST /users`.
    public func create(_ model: Model) -> ServiceFuture<Model> {
        write(model, .POST, at: name, reading: envelope.single(decoding)) { [encoding] in
            try encoding.data(of: model)
        }
    }

    /// Creates several models with one request: `POST /users` with an array.
    public func create(_ models: [Model]) -> ServiceFuture<[Model]> {
        write(models, .POST, at: name, reading: envelope.list(decoding)) { [encoding] in
            try encoding.data(of: models)
        }
    }
}
