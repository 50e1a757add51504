/// Names a stage of a ``Pipeline``: by identity, so that two keys of the same description are two stages.
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
    private final class Identity: Hashable, Sendable {
        let description: String

        init(description: String) {
            self.description = description
        }

        static func == (left: Identity, right: Identity) -> Bool { left === right }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }
    }

    private let identity: Identity

    /// Makes a key that equals no other.
    ///
    /// - Parameter description: what the log calls the stage.
    public init(description: String) {
        identity = Identity(description: description)
    }

    /// The name for the log.
    public var description: String { identity.description }

    /// The bytes as received: decrypt or decompress here.
    public static let rawData = PipelineStageKey(description: "rawData")
    /// From one form of bytes or text to another.
    public static let decoding = PipelineStageKey(description: "decoding")
    /// From bytes to ``JSON``, text or an image: where the standard transformers are.
    public static let parsing = PipelineStageKey(description: "parsing")
    /// From ``JSON`` to the app's models: where `WebService.configureTransformer` adds by default.
    public static let model = PipelineStageKey(description: "model")
    /// Whatever is left to do.
    public static let cleanup = PipelineStageKey(description: "cleanup")
}
