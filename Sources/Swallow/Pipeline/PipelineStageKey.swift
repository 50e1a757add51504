import Foundation

/// The name of a stage of a ``Pipeline``. Keys are compared by identity.
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
