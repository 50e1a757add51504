/// A step of a ``Pipeline``: transformers that run one after another, and perhaps a cache of what they made.
public struct PipelineStage: Sendable {
    /// What adding a transformer does with those that are there.
    public enum MutationAction: Sendable {
        /// Takes their place.
        case replaceExisting
        /// Runs after them.
        case appendToExisting
    }

    private(set) var transformers: [any ResponseTransformer] = []
    private(set) var cache: (any EntityCache)?

    /// Makes a stage that changes nothing and keeps nothing.
    init() {}

    init(_ transformers: [any ResponseTransformer]) {
        self.transformers = transformers
    }

    /// Adds a transformer, to run after those that are there.
    public mutating func add(_ transformer: any ResponseTransformer) {
        transformers.append(transformer)
    }

    /// Adds a transformer for responses of certain content types only, to run after those that are there but before the
    /// standard ones, which would take `text/xml` for text.
    ///
    /// - Parameters:
    ///   - transformer: passed over for other responses.
    ///   - contentTypes: patterns such as `text/html` or `*/*+xml`: `*` stands for any text without `/` and `+`; parameters
    ///     and case are ignored (RFC 9110 §8.3.1). A response without a content type matches none.
    public mutating func add(_ transformer: any ResponseTransformer, contentTypes: [String]) {
        let filter = ContentTypeFilter(
            contentTypes, (transformer as? StandardTransformer)?.takingAll ?? transformer)
        let end = transformers.firstIndex { $0 is StandardTransformer } ?? transformers.endIndex
        transformers.insert(filter, at: end)
    }

    /// Removes the transformers, the standard ones too.
    public mutating func removeTransformers() {
        transformers = []
    }

    /// Keeps what comes out of the stage in a cache, and reads it back as ``Configuration/entityCaching`` says.
    ///
    /// Services that are made anew for each use should be given a cache that is kept elsewhere.
    public mutating func cacheUsing(_ cache: some EntityCache) {
        self.cache = cache
    }

    /// Keeps nothing at this stage any more.
    public mutating func doNotCache() {
        cache = nil
    }

    mutating func add(_ transformer: any ResponseTransformer, action: MutationAction) {
        if action == .replaceExisting { removeTransformers() }
        add(transformer)
    }

    /// Whether the stage has nothing but standard parsers.
    var isStandard: Bool {
        cache == nil && transformers.allSatisfy { $0 is StandardTransformer }
    }
}

/// Lets a transformer see the responses of certain content types only.
private struct ContentTypeFilter: ResponseTransformer {
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
    var entity: Entity<any Sendable>? {
        switch self {
        case .success(let entity): entity
        case .failure(let error): error.entity
        }
    }
}
