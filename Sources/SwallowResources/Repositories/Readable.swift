import Swallow

/// A repository whose models can be read.
public protocol Readable<Model>: Repository {
    /// How a model is read from JSON, off the main thread. By default, `Decodable` reads it. If the JSON doesn't fit,
    /// the future fails with `.undecodable`.
    var decoding: Decoding<Model> { get }
    /// How the server divides lists into pages. The default is ``Pagination/headers``.
    var pagination: Pagination { get }
}

extension Readable {
    /// How the server divides lists into pages. The default is ``Pagination/headers``.
    public var pagination: Pagination { .headers }

    /// Reads the model at the repository's name: `GET /profile`.
    public func read() -> ServiceFuture<Model> {
        service.future(with: envelope.single(decoding)) { [name] in $0.GET(name) }
    }

    /// Reads all models: `GET /users`, and all further pages, as ``pagination`` specifies. Fails if any page fails.
    ///
    /// - Parameter parameters: The parameters for the query. The default is none.
    public func readAll(parameters: Parameters = [:]) -> ServiceFuture<[Model]> {
        let start = Result { () throws(ServiceError) in
            try pagination.firstOfAll(parameters: parameters) as Page<Model>
        }
        let pages = PageSequence(start: start, prefetches: false) { page in
            read(page, mayBeAll: page.position == .start)
        } elements: {
            [$0]
        }
        return ServiceFuture { () async throws -> [Model] in
            var models: [Model] = []
            for try await page in pages { models += page.items }
            return models
        }
    }
}

extension Readable where Model: Identifiable, Model.ID: PathSegmentConvertible {
    /// Reads one model: `GET /users/7`.
    public func read(id: Model.ID) -> ServiceFuture<Model> { read(at: path(id)) }
}

extension Readable where Model: Identifiable {
    /// Reads one model of a type with an optional id: `GET /users/7`.
    public func read<ID: PathSegmentConvertible>(id: ID) -> ServiceFuture<Model> where Model.ID == ID? {
        read(at: path(id))
    }

    private func read(at path: Request.Path) -> ServiceFuture<Model> {
        service.future(with: envelope.single(decoding)) { $0.GET(path) }
    }
}
