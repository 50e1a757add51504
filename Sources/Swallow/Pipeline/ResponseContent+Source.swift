import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension ResponseContent {
    /// The origin of the content.
    enum Source: Sendable {
        case received(ReceivedResponse)
        /// The content that `recover` or a transformer put in a failure's place.
        indirect case recovered(RecoveredContent)
        /// A body in a file.
        indirect case file(FileBody)
    }

    /// The response's head, or `nil` for recovered content.
    var head: HTTPURLResponse? {
        switch source {
        case .received(let response): response.head
        case .file(let file): file.head
        case .recovered: nil
        }
    }

    /// The content as received or recovered.
    var rawEntity: Entity<any Sendable> {
        switch source {
        case .received(let response): response.entity
        case .recovered(let content): content.entity
        case .file(let file): file.entity
        }
    }

    /// Whether the body is in a file.
    var isFile: Bool { if case .file = source { true } else { false } }

    /// Whether parsing and decoding the content takes at most about a millisecond.
    var isSmall: Bool {
        switch source {
        case .received(let response): ReceivedResponse.isSmall(response.data)
        case .recovered(let content): !content.needsEncoding
        case .file: false
        }
    }

    /// Whether the bytes are in memory.
    var hasBytes: Bool {
        switch source {
        case .received: true
        case .recovered(let content): !content.needsEncoding
        case .file(let file): file.bytes != nil
        }
    }
}
