import Foundation

/// How a value of a type is found in a response, the same for all who ask.
///
/// The rows are tried from the top; the first that fits gives the value:
///
/// | | `content` | `contentOrBody` | `body` | `future` | `resource` |
/// |---|---|---|---|---|---|
/// | who asks | `responseContent`, `content(as:)` | `transform`, `entity(as:)` | `responseDecoded`, `decoded(as:)` | futures | resources |
/// | a model of the type, a download's `URL` | taken | taken | taken | taken | taken |
/// | parsed content of the type: `JSON`, `String`, `Data` | taken | taken | – | – | taken |
/// | `Data` | – | bytes as received | – | bytes as received | bytes as received |
/// | no content, and the type is optional | – | nil | nil | nil | nil |
/// | `Decodable`, content not a model | – | decoded, but not from text | decoded | decoded | decoded |
/// | `Decodable`, content a model of another type | – | – | decoded | decoded | decoded |
/// | anything else | `.contentMismatch` | `.contentMismatch` | – | – | `.contentMismatch` |
///
/// A model is what a transformer made that is neither `JSON`, `String` nor `Data`, what a task's `transform` made, or what
/// `recover` gave. Decoding reads JSON, whatever the content type, and ends in `.emptyBody`, `.unparsable` or `.undecodable`.
struct ContentPolicy: Sendable {
    private enum Decoded { case never, unlessModelOrText, always }

    private var takesParsed = false
    private var givesBytes = false
    private var decoded = Decoded.always

    static let content = ContentPolicy(takesParsed: true, decoded: .never)
    static let contentOrBody = ContentPolicy(
        takesParsed: true, givesBytes: true, decoded: .unlessModelOrText)
    static let body = ContentPolicy()
    static let future = ContentPolicy(givesBytes: true)
    static let resource = ContentPolicy(takesParsed: true, givesBytes: true)

    /// Finds a value.
    ///
    /// - Parameter decode: decodes the body; nil where the type isn't `Decodable`.
    fileprivate func value<Value>(
        as type: Value.Type, in reader: ContentReader, decode: () throws(ServiceError) -> Value?
    ) throws(ServiceError) -> Value {
        if let model = reader.content.model, let value = model as? Value { return value }
        if takesParsed, let parsed = try parsed(in: reader), let value = parsed as? Value { return value }
        if givesBytes, type == Data.self, let bytes = try reader.bytes() as? Value { return bytes }
        if try mayDecode(reader), let value = try decode() { return value }
        throw reader.mismatch(expected: type, actual: try reader.entity().content)
    }

    /// The content, if nothing else can be taken for it where it can't be made.
    private func parsed(in reader: ContentReader) throws(ServiceError) -> (any Sendable)? {
        do throws(ServiceError) {
            return try reader.entity().content
        } catch {
            if case .always = decoded { return nil }
            throw error
        }
    }

    private func mayDecode(_ reader: ContentReader) throws(ServiceError) -> Bool {
        switch decoded {
        case .never: return false
        case .always: return true
        case .unlessModelOrText:
            let content = try reader.entity().content
            return content is JSON || content is Data || reader.content.isFile
        }
    }
}

extension ContentReader {
    /// The response's content as a value of a type.
    func value<Value: Decodable>(as type: Value.Type, by policy: ContentPolicy) throws(ServiceError) -> Value
    {
        try policy.value(as: type, in: self) { () throws(ServiceError) in try decoded(as: type) }
    }

    /// The response's content as a value of a type, which need not be `Decodable`.
    @_disfavoredOverload
    func value<Value>(as type: Value.Type, by policy: ContentPolicy) throws(ServiceError) -> Value {
        try policy.value(as: type, in: self) { () throws(ServiceError) in
            guard let decodable = type as? any Decodable.Type else { return nil }
            return try decoded(as: decodable) as? Value
        }
    }
}
