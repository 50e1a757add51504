import Foundation

extension PipelineAdapter {
    enum Source: Sendable {
        case received(ReceivedResponse)
        indirect case rejected(ReceivedResponse, ServiceError)
        indirect case failed(ServiceError)
        /// A response whose body is in a file. The entity's content is the URL of the file.
        indirect case file(URL, head: HTTPURLResponse, Entity<any Sendable>)
        /// Content that `recover` or a transformer returned after a failure.
        indirect case recovered(Entity<any Sendable>, url: URL?, encoding: JSON.EncodingOptions)
    }

    var response: ReceivedResponse? {
        switch source {
        case .received(let response), .rejected(let response, _): response
        case .failed, .file, .recovered: nil
        }
    }

    var error: ServiceError? {
        switch source {
        case .rejected(_, let error), .failed(let error): error
        case .received, .file, .recovered: nil
        }
    }

    var head: HTTPURLResponse? {
        if case .file(_, let head, _) = source { return head }
        return response?.head
    }

    var rawEntity: Entity<any Sendable> {
        switch source {
        case .received(let response), .rejected(let response, _): response.entity
        case .failed(let error): error.entity ?? Entity(content: Data())
        case .file(_, _, let entity): entity
        case .recovered(let entity, _, _): entity
        }
    }

    var isFile: Bool { if case .file = source { true } else { false } }

    var isSmall: Bool {
        switch source {
        case .received(let response), .rejected(let response, _): ReceivedResponse.isSmall(response.data)
        case .file: false
        case .failed, .recovered: hasBytes
        }
    }

    var hasBytes: Bool {
        switch source {
        case .received, .rejected, .failed: true
        case .file: results.loadedBytes != nil
        case .recovered(let entity, _, _): entity.isBody || results.loadedBytes != nil
        }
    }

    /// Returns the entity from which JSON and text are parsed.
    func bodyEntity() throws(ServiceError) -> Entity<any Sendable> {
        switch source {
        case .received, .rejected, .failed: results.data.map { rawEntity.withContent($0) } ?? rawEntity
        case .recovered(let entity, _, _) where entity.isBody: entity
        case .file, .recovered: rawEntity.withContent(try bytes())
        }
    }

    /// Returns the body's bytes. Blocks while it reads a file or encodes recovered content.
    func loadBytes() -> Result<Data, ServiceError> {
        Result { () throws(ServiceError) in
            switch source {
            case .received(let response), .rejected(let response, _): response.data
            case .failed(let error): throw error
            case .file(let url, let head, _): try Self.contents(ofFile: url, of: head)
            case .recovered(let entity, _, let encoding): try entity.encodedBody(encoding)
            }
        }
    }

    /// - Throws: `.transport` if the file can't be read, or if it has more bytes than the limit, by default 256 MiB.
    static func contents(
        ofFile url: URL, of head: HTTPURLResponse, limit: Int = ResponseSize.standardLimit
    ) throws(ServiceError) -> Data {
        let data: Data
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            // One more byte shows that the file is too large, even if the file is growing.
            data = try file.read(upToCount: limit + 1) ?? Data()
        } catch {
            throw ServiceError(
                .transport(URLError(.cannotOpenFile)), detail: "\(url.path) can't be read", response: head,
                underlying: error)
        }
        if data.count <= limit { return data }
        let error = ResponseSize.error(over: limit, url: head.url)
        throw ServiceError(.transport(error), response: head, underlying: error)
    }
}

extension Entity<any Sendable> {
    init<Value: Sendable>(recovered value: Value) {
        switch value {
        case let entity as any ErasableEntity: self = entity.erased
        case is Void: self.init(content: Data())
        default: self.init(content: value)
        }
    }

    fileprivate var isBody: Bool { content is Data || content is String || content is JSON }

    fileprivate func encodedBody(_ encoding: JSON.EncodingOptions) throws(ServiceError) -> Data {
        switch content {
        case let data as Data: return data
        case let text as String: return Data(text.utf8)
        case let json as JSON: return json.data
        case let value as any Encodable:
            do {
                return try encoding.data(of: value)
            } catch {
                throw ServiceError(
                    .thrown, detail: "the recovered \(type(of: value)) can't be encoded as JSON",
                    entity: self, underlying: error)
            }
        case let other:
            throw ServiceError(
                .contentMismatch(expected: "Data", actual: "\(type(of: other))"),
                detail: "the recovered \(type(of: other)) isn't Encodable, so it has no body", entity: self)
        }
    }
}

private protocol ErasableEntity {
    var erased: Entity<any Sendable> { get }
}

extension Entity: ErasableEntity {
    fileprivate var erased: Entity<any Sendable> { withContent(content) }
}

struct ReceivedResponse: Sendable {
    private let lazyHead: ResponseHead
    let data: Data
    let timestamp: Date
    let origin: EntityOrigin
    private let freshness: Freshness?

    init(
        head: ResponseHead, data: Data, timestamp: Date, origin: EntityOrigin = .network,
        freshness: Freshness? = nil
    ) {
        lazyHead = head
        self.data = data
        self.timestamp = timestamp
        self.origin = origin
        self.freshness = freshness
    }

    var head: HTTPURLResponse { lazyHead.response }

    static func isSmall(_ body: Data) -> Bool { body.count <= 64 * 1024 }

    var entity: Entity<any Sendable> {
        Entity(content: data, head: lazyHead, timestamp: timestamp, origin: origin, freshness: freshness)
    }
}
