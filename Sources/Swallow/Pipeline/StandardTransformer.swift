import Foundation

/// A parser that services use by default, also for the bodies of failures.
///
/// It doesn't change an empty body, or content that an earlier transformer has converted to another type.
public struct StandardTransformer: Hashable, ResponseTransformer {
    fileprivate enum Form: String {
        case json, text, image
    }

    fileprivate let form: Form
    private var takesAll = false

    fileprivate init(form: Form) {
        self.form = form
    }

    /// The parsers ``json``, ``text`` and, on Apple's platforms, `image`. Services use them by default.
    public static let all: [StandardTransformer] = {
        #if canImport(UIKit) || canImport(AppKit)
            [.json, .text, .image]
        #else
            [.json, .text]
        #endif
    }()

    /// The parser's name.
    public var description: String { form.rawValue }

    /// Parses the content if this parser accepts its content type.
    public func process(_ outcome: Outcome) -> Outcome {
        guard let entity = outcome.entity, entity.content is Data, !entity.isEmpty,
            let mediaType = entity.mediaType, takes(mediaType)
        else { return outcome }
        switch (parsed(entity), outcome) {
        case (.success(let parsed), .success): return .success(parsed)
        case (.success(let parsed), .failure(var error)):
            error.entity = parsed
            return .failure(error)
        case (.failure(let error), .success): return .failure(error)
        // The request's failure is more important than the parser's failure, so it stays.
        case (.failure, .failure): return outcome
        }
    }

    func takes(_ mediaType: MediaType) -> Bool {
        switch form {
        case _ where takesAll: true
        case .json: mediaType.isJSON
        case .text: mediaType.isText
        case .image: mediaType.isImage
        }
    }

    var takingAll: StandardTransformer {
        var parser = self
        parser.takesAll = true
        return parser
    }

    private func parsed(_ entity: Entity<any Sendable>) -> Outcome {
        Result { () throws(ServiceError) in
            switch form {
            case .json: entity.withContent(try entity.parsedJSON())
            case .text: entity.withContent(try entity.parsedText())
            case .image: entity.withContent(try image(of: entity))
            }
        }
    }

    private func image(of entity: Entity<any Sendable>) throws(ServiceError) -> any Sendable {
        #if canImport(UIKit) || canImport(AppKit)
            if let data = entity.content as? Data, let image = PlatformImage(data: data) { return image }
        #endif
        throw ServiceError(.unparsable, detail: "the body is not an image", entity: entity)
    }
}

extension ResponseTransformer where Self == StandardTransformer {
    /// Parses `*/json` and `*/*+json` as ``JSON`` (RFC 8259).
    public static var json: StandardTransformer { StandardTransformer(form: .json) }

    /// Decodes `text/*` as `String` in its charset. Without a charset, invalid UTF-8 is decoded as windows-1252.
    public static var text: StandardTransformer { StandardTransformer(form: .text) }

    #if canImport(UIKit) || canImport(AppKit)
        /// Decodes `image/*` as ``PlatformImage``, which contains a `UIImage` or `NSImage`.
        public static var image: StandardTransformer { StandardTransformer(form: .image) }
    #endif
}
