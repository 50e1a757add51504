import Foundation

/// The content that `recover` or a transformer put in a failure's place, and its bytes after a handler needed them.
struct RecoveredContent: Sendable {
    let entity: Entity<any Sendable>
    let url: URL?
    private let encoding: JSON.EncodingOptions
    private var encoded: Result<Data, ServiceError>?

    init(_ entity: Entity<any Sendable>, url: URL?, encoding: JSON.EncodingOptions) {
        self.entity = entity
        self.url = url
        self.encoding = encoding
    }

    /// Whether the content must be encoded before a handler can read it as a body.
    var needsEncoding: Bool { encoded == nil && !isBody }

    /// Whether the content is a response body already.
    private var isBody: Bool {
        entity.content is Data || entity.content is String || entity.content is JSON
    }

    /// A copy that includes the encoded bytes.
    func addingBytes() -> RecoveredContent {
        var copy = self
        do throws(ServiceError) {
            copy.encoded = .success(try data())
        } catch {
            copy.encoded = .failure(error)
        }
        return copy
    }

    /// The content as a response body, which JSON and text are read from.
    func body() throws(ServiceError) -> Entity<any Sendable> {
        isBody ? entity : entity.withContent(try data())
    }

    /// The content as the bytes of a response body.
    ///
    /// - Throws: `.contentMismatch` if the content isn't `Encodable`, and `.thrown` if it can't be encoded.
    func data() throws(ServiceError) -> Data {
        if let encoded { return try encoded.get() }
        switch entity.content {
        case let data as Data: return data
        case let text as String: return Data(text.utf8)
        case let json as JSON: return json.data
        case let value as any Encodable: return try data(of: value)
        case let other:
            throw ServiceError(
                .contentMismatch(expected: "Data", actual: "\(type(of: other))"),
                detail: "the recovered \(type(of: other)) isn't Encodable, so it has no body", entity: entity)
        }
    }

    private func data(of value: any Encodable) throws(ServiceError) -> Data {
        do {
            return try encoding.data(of: value)
        } catch {
            throw ServiceError(
                .thrown, detail: "the recovered \(type(of: value)) can't be encoded as JSON", entity: entity,
                underlying: error)
        }
    }
}

extension Entity<any Sendable> {
    /// Creates the entity of a value that `recover` returned.
    init<Value: Sendable>(recovered value: Value) {
        switch value {
        case let entity as any ErasableEntity: self = entity.erased
        case is Void: self.init(content: Data())
        default: self.init(content: value)
        }
    }
}

/// An entity, whatever its content.
private protocol ErasableEntity {
    var erased: Entity<any Sendable> { get }
}

extension Entity: ErasableEntity {
    fileprivate var erased: Entity<any Sendable> { withContent(content) }
}
