import Foundation

/// The body of a request. Files and streams are read while they are sent, so they needn't fit in memory.
///
/// ```swift
/// service.PUT("/films/7", options: [.body(file: film, contentType: "video/mp4")])
/// ```
///
/// A body that isn't in memory is the `streamedBody` of the request that a data source or an `adaptRequest` closure
/// receives. A data source that needs the bytes reads them from `httpBodyStream`.
public struct RequestBody: Sendable {
    enum Form: Sendable {
        case data(Data)
        case file(URL)
        case stream(length: Int64?, open: @Sendable () throws -> InputStream)
        case parts(BodyParts)
        /// A reader that can be taken only once.
        case opened(Lock<SentReader?>, length: Int64?)
        case joined([RequestBody])
    }

    let form: Form

    /// Creates a body from bytes in memory.
    public static func data(_ data: Data) -> RequestBody { RequestBody(form: .data(data)) }

    /// Creates a body from a file, which is read each time the body is sent. If it can't be read, or if its length
    /// changes during the upload, the request fails, for example with `.invalidRequest`.
    public static func file(_ url: URL) -> RequestBody { RequestBody(form: .file(url)) }

    /// Creates a body from a stream that a redirect or a retry can open again.
    ///
    /// - Parameters:
    ///   - length: The stream's length in bytes. `nil`, the default, if it isn't known. If the stream is shorter, the
    ///     request fails, for example with `.invalidRequest`.
    ///   - open: Returns an unopened stream of the complete body. Called each time the body is sent, on a thread that
    ///     may block. If it throws, the request fails.
    public static func stream(
        length: Int64? = nil, open: @escaping @Sendable () throws -> InputStream
    ) -> RequestBody {
        RequestBody(form: .stream(length: length, open: open))
    }

    /// Creates a body from an asynchronous sequence of parts. The response may arrive before the body is complete. The
    /// request fails if the sequence throws, or if a redirect needs the body again.
    ///
    /// - Parameters:
    ///   - parts: The sequence. A Swift task iterates it, and is cancelled with the request.
    ///   - length: The length in bytes. `nil`, the default, if it isn't known.
    ///   - trailers: Returns the fields after the body (RFC 9110 §6.5). Only `CurlDataSource` sends them, in HTTP/1.1.
    public static func parts<Parts: AsyncSequence & Sendable>(
        _ parts: Parts, length: Int64? = nil, trailers: (@Sendable () async throws -> Headers)? = nil
    ) -> RequestBody where Parts.Element == Data {
        let sequence = BodyParts(length: length, hasTrailers: trailers != nil) { send in
            for try await part in parts { try await send(part) }
            return try await trailers?() ?? [:]
        }
        return RequestBody(form: .parts(sequence))
    }

    /// Creates a body for an upgraded connection. Each time the request is sent, `run` sends the bytes after its head.
    static func tunnel(
        _ run: @escaping @Sendable (_ send: @Sendable (Data) async throws -> Void) async throws -> Void
    ) -> RequestBody {
        let parts = BodyParts(length: nil, hasTrailers: false, isTunnel: true) { send in
            try await run(send)
            return [:]
        }
        return RequestBody(form: .parts(parts))
    }

    var isTunnel: Bool { parts?.isTunnel ?? false }

    package var isRepeatable: Bool {
        switch form {
        case .data, .file, .stream: true
        case .parts(let parts): parts.isTunnel
        case .opened: false
        case .joined(let bodies): bodies.allSatisfy(\.isRepeatable)
        }
    }
}

extension RequestBody {
    package static func joined(_ bodies: [RequestBody]) -> RequestBody { RequestBody(form: .joined(bodies)) }

    package var data: Data? {
        if case .data(let data) = form { data } else { nil }
    }

    var isFile: Bool {
        if case .file = form { true } else { false }
    }

    package var isAsynchronous: Bool { parts != nil }

    var hasTrailers: Bool { parts?.hasTrailers ?? false }

    private var parts: BodyParts? {
        if case .parts(let parts) = form { parts } else { nil }
    }
}

final class BodyParts: Sendable {
    typealias Send = @Sendable (Data) async throws -> Void
    typealias Run = @Sendable (Send) async throws -> Headers

    let length: Int64?
    let hasTrailers: Bool
    let isTunnel: Bool
    private let run: Lock<Run?>

    init(length: Int64?, hasTrailers: Bool, isTunnel: Bool = false, _ run: @escaping Run) {
        self.length = length
        self.hasTrailers = hasTrailers
        self.isTunnel = isTunnel
        self.run = Lock(run)
    }

    func take() -> Run? { run.withLock { isTunnel ? $0 : $0.take() } }
}
