/// Lets a transformer see the responses of certain content types only.
struct ContentTypeFilter: ResponseTransformer {
    private let patterns: [ContentTypePattern]
    private let transformer: any ResponseTransformer

    init(_ patterns: [String], _ transformer: any ResponseTransformer) {
        self.patterns = patterns.map(ContentTypePattern.init)
        self.transformer = transformer
    }

    var description: String { transformer.description }

    func process(_ response: Response) -> Response {
        guard let name = response.entity?.contentType, patterns.contains(where: { $0.matches(name) }) else {
            return response
        }
        return transformer.process(response)
    }
}

extension Response {
    /// The content, or the body of the failure.
    var entity: Entity<any Sendable>? {
        switch self {
        case .success(let entity): entity
        case .failure(let error): error.entity
        }
    }
}
