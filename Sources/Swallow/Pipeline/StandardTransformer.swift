import Foundation

#if canImport(UIKit)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

/// A parser that a service applies to responses unless it is told otherwise, also to the bodies of failures.
///
/// What isn't bytes any more is left as it is, and so is an empty body.
public struct StandardTransformer: Hashable, ResponseTransformer {
    private enum Form: String {
        case json, text, image
    }

    private let form: Form
    private var takesAll = false

    /// Takes `*/json` and `*/*+json` to ``JSON`` (RFC 8259).
    public static let json = StandardTransformer(form: .json)

    /// Takes `text/*` to `String` by the charset given, else UTF-8, else ISO-8859-1.
    public static let text = StandardTransformer(form: .text)

    #if canImport(UIKit) || canImport(AppKit)
        /// Takes `image/*` to `UIImage` or `NSImage`.
        public static let image = StandardTransformer(form: .image)

        /// Every parser that the platform has.
        public static let all: [StandardTransformer] = [.json, .text, .image]
    #else
        /// Every parser that the platform has.
        public static let all: [StandardTransformer] = [.json, .text]
    #endif

    /// The parser's name.
    public var description: String { form.rawValue }

    /// Parses the content where its content type is one of this parser's.
    public func process(_ response: Response) -> Response {
        guard let entity = response.entity, let data = entity.content as? Data, !data.isEmpty,
            let mediaType = entity.mediaType, takes(mediaType)
        else { return response }
        do {
            let parsed = entity.withContent(try content(of: data, charset: mediaType.charset))
            guard case .failure(var error) = response else { return .success(parsed) }
            error.entity = parsed
            return .failure(error)
        } catch {
            // A failure keeps its error and its raw body.
            if case .failure = response { return response }
            return .failure(
                ServiceError(
                    .unparsable, detail: "the body is not \(name)", entity: entity, underlying: error))
        }
    }

    /// Whether bytes of the type are this parser's.
    func takes(_ mediaType: MediaType) -> Bool {
        switch form {
        case _ where takesAll: true
        case .json: mediaType.isJSON
        case .text: mediaType.isText
        case .image: mediaType.isImage
        }
    }

    /// The same parser for whatever content types it is added for.
    var takingAll: StandardTransformer {
        var parser = self
        parser.takesAll = true
        return parser
    }

    private var name: String {
        switch form {
        case .json: "JSON"
        case .text: "text"
        case .image: "an image"
        }
    }

    private func content(of data: Data, charset: String?) throws -> any Sendable {
        switch form {
        case .json: return try JSON(parsing: data)
        case .text: return try TextDecoding.text(of: data, charset: charset)
        case .image:
            #if canImport(UIKit)
                if let image = UIImage(data: data) { return image }
            #elseif canImport(AppKit)
                if let image = NSImage(data: data) { return image }
            #endif
            throw CocoaError(.coderReadCorrupt)
        }
    }
}

extension ResponseTransformer where Self == StandardTransformer {
    /// ``StandardTransformer/json``.
    public static var json: StandardTransformer { StandardTransformer.json }

    /// ``StandardTransformer/text``.
    public static var text: StandardTransformer { StandardTransformer.text }
}
