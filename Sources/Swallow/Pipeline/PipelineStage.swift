import Foundation

/// A step of a ``Pipeline``, with transformers that run one after another and an optional cache for their result.
public struct PipelineStage: Sendable {
    /// The effect of a new transformer on the existing ones.
    public enum MutationAction: Sendable {
        /// Replaces the existing transformers.
        case replaceExisting
        /// Runs after the existing transformers.
        case appendToExisting
    }

    private(set) var transformers: [any ResponseTransformer] = []
    private(set) var cache: (any EntityCache)?

    init() {}

    init(_ transformers: [any ResponseTransformer]) {
        self.transformers = transformers
    }

    /// Adds a transformer that runs after the existing ones.
    public mutating func add(_ transformer: any ResponseTransformer) {
        transformers.append(transformer)
    }

    /// Adds a transformer that runs only for certain content types, before this stage's standard transformers. Case
    /// and parameters of content types don't matter (RFC 9110 §8.3.1).
    ///
    /// - Parameters:
    ///   - transformer: The transformer to add.
    ///   - contentTypes: Patterns such as `text/html` or `*/*+xml`. A `*` matches any text without `/` and `+`.
    public mutating func add(_ transformer: any ResponseTransformer, contentTypes: [String]) {
        let filter = ContentTypeFilter(
            contentTypes, (transformer as? StandardTransformer)?.takingAll ?? transformer)
        let end = transformers.firstIndex { $0 is StandardTransformer } ?? transformers.endIndex
        transformers.insert(filter, at: end)
    }

    /// Removes the transformers, including the standard ones.
    public mutating func removeTransformers() {
        transformers = []
    }

    /// Stores the stage's results in a cache and reads them from it, as the request's ``CachePolicy`` specifies.
    ///
    /// If you create a new service for each use, pass the same cache to all of them.
    public mutating func cacheUsing(_ cache: some EntityCache) {
        self.cache = cache
    }

    /// Removes the cache of this stage.
    public mutating func doNotCache() {
        cache = nil
    }

    mutating func add(_ transformer: any ResponseTransformer, action: MutationAction) {
        if action == .replaceExisting { removeTransformers() }
        add(transformer)
    }

    var isStandard: Bool {
        cache == nil && transformers.allSatisfy { $0 is StandardTransformer }
    }
}

private struct ContentTypeFilter: ResponseTransformer {
    private let patterns: [ContentTypePattern]
    private let transformer: any ResponseTransformer

    init(_ patterns: [String], _ transformer: any ResponseTransformer) {
        self.patterns = patterns.map(ContentTypePattern.init)
        self.transformer = transformer
    }

    var description: String { transformer.description }

    func process(_ outcome: Outcome) -> Outcome {
        guard let name = outcome.entity?.contentType, patterns.contains(where: { $0.matches(name) }) else {
            return outcome
        }
        return transformer.process(outcome)
    }
}

extension Outcome {
    var entity: Entity<any Sendable>? {
        switch self {
        case .success(let entity): entity
        case .failure(let error): error.entity
        }
    }
}

/// The key of a stage of a ``Pipeline``. Separately created keys differ, even if they have the same description.
///
/// ```swift
/// extension PipelineStageKey {
///     static let decryption = PipelineStageKey(description: "decryption")
/// }
///
/// service.configure {
///     $0.pipeline.order = [.rawData, .decryption, .decoding, .parsing, .model, .cleanup]
///     $0.pipeline[.decryption].add(Decryption())
/// }
/// ```
public struct PipelineStageKey: Sendable, Hashable, CustomStringConvertible {
    private let identity = UUID()

    /// The stage's name in the log.
    public let description: String

    /// Creates a key that equals no other key.
    ///
    /// - Parameter description: The stage's name in the log.
    public init(description: String) {
        self.description = description
    }

    /// The stage for bytes as received. Decrypt or decompress them here.
    public static let rawData = PipelineStageKey(description: "rawData")
    /// The stage between ``rawData`` and ``parsing``, for example to decode Base64.
    public static let decoding = PipelineStageKey(description: "decoding")
    /// The stage of the standard transformers, which parse bytes to ``JSON``, text or an image.
    public static let parsing = PipelineStageKey(description: "parsing")
    /// The stage that converts ``JSON`` to the app's models.
    public static let model = PipelineStageKey(description: "model")
    /// The stage for any remaining work.
    public static let cleanup = PipelineStageKey(description: "cleanup")
}
