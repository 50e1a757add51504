import Foundation

/// A request's body that doesn't need to be in memory. It is read while it is sent, at most a few hundred kilobytes
/// ahead.
///
/// ```swift
/// service.PUT("/films/7", options: [.body(file: film, contentType: "video/mp4")])
/// ```
///
/// A data source or an `adaptRequest` closure finds it in the request's `streamedBody`.
public struct RequestBody: Sendable {
    enum Form: Sendable {
        case data(Data)
        case file(URL)
        case stream(length: Int64?, open: @Sendable () throws -> InputStream)
        case parts(BodyParts)
        /// A stream that can't be opened again, part of which may have been read.
        case opened(OpenedBody)
        case joined([RequestBody])
    }

    let form: Form

    /// Creates a body from bytes in memory.
    public static func data(_ data: Data) -> RequestBody { RequestBody(form: .data(data)) }

    /// Creates a body from a file. The file is read each time the body is sent.
    ///
    /// A file that reports a size of zero but has bytes, as files in `/proc` do, is sent in chunks (RFC 9112 §7.1). If
    /// there is no file at the URL, if it can't be read, or if its length changes while it is read, the request fails
    /// with `.invalidRequest`.
    public static func file(_ url: URL) -> RequestBody { RequestBody(form: .file(url)) }

    /// Creates a body from a stream that can be opened again for a redirect or a retry.
    ///
    /// - Parameters:
    ///   - length: The stream's length in bytes. If it is `nil`, the default, the length is unknown and the body is
    ///     sent in chunks (RFC 9112 §7.1). If the stream's length differs, the request fails with `.invalidRequest`.
    ///   - open: Returns a stream at the body's beginning that isn't open yet. Called each time the body is sent, on a
    ///     thread that may block. If it throws an error, the request fails with `.invalidRequest`.
    public static func stream(
        length: Int64? = nil, open: @escaping @Sendable () throws -> InputStream
    ) -> RequestBody {
        RequestBody(form: .stream(length: length, open: open))
    }

    /// Creates a body from an asynchronous sequence of parts, which are sent once. The response may arrive before the
    /// body is complete.
    ///
    /// The next part is requested when there is room for it. The request fails with `.invalidRequest` if the sequence
    /// throws, if the same body was sent before, or if a redirect or a retry needs the body again.
    ///
    /// - Parameters:
    ///   - parts: The sequence, which is iterated in a separate Swift task. That task is cancelled with the request.
    ///   - length: The total length of the parts in bytes. If it is `nil`, the default, the length is unknown and the
    ///     body is sent in chunks (RFC 9112 §7.1).
    ///   - trailers: Returns the fields that follow the body (RFC 9110 §6.5). Called after the last part. A body with
    ///     trailers is sent in chunks even if its length is known. Over HTTP/2, trailers aren't sent yet.
    public static func parts<Parts: AsyncSequence & Sendable>(
        _ parts: Parts, length: Int64? = nil, trailers: (@Sendable () async throws -> Headers)? = nil
    ) -> RequestBody where Parts.Element == Data {
        let sequence = BodyParts(length: length, hasTrailers: trailers != nil) { send in
            for try await part in parts { try await send(part) }
            return try await trailers?() ?? [:]
        }
        return RequestBody(form: .parts(sequence))
    }

    package var isRepeatable: Bool {
        switch form {
        case .data, .file, .stream: true
        case .parts, .opened: false
        case .joined(let bodies): bodies.allSatisfy(\.isRepeatable)
        }
    }
}

extension RequestBody {
    /// Joins several bodies. None of them may be a body of `parts`.
    package static func joined(_ bodies: [RequestBody]) -> RequestBody { RequestBody(form: .joined(bodies)) }

    package var data: Data? {
        if case .data(let data) = form { data } else { nil }
    }

    var isFile: Bool {
        if case .file = form { true } else { false }
    }

    /// Whether the bytes are from an asynchronous sequence, so that the thread that delivers them can't wait for them.
    package var isAsynchronous: Bool {
        if case .parts = form { true } else { false }
    }

    var hasTrailers: Bool {
        if case .parts(let parts) = form { parts.hasTrailers } else { false }
    }
}

final class BodyParts: Sendable {
    typealias Send = @Sendable (Data) async throws -> Void
    typealias Run = @Sendable (Send) async throws -> Headers

    let length: Int64?
    let hasTrailers: Bool
    private let run: Lock<Run?>

    init(length: Int64?, hasTrailers: Bool, _ run: @escaping Run) {
        self.length = length
        self.hasTrailers = hasTrailers
        self.run = Lock(run)
    }

    /// Returns the closure that sends all parts. Returns `nil` after the first call.
    func take() -> Run? { run.withLock { $0.take() } }
}

final class OpenedBody: Sendable {
    let length: Int64?
    private let reader: Lock<SentReader?>

    init(_ reader: SentReader, length: Int64?) {
        self.length = length
        self.reader = Lock(reader)
    }

    /// Returns the reader of the remaining bytes. Returns `nil` after the first call.
    func take() -> SentReader? { reader.withLock { $0.take() } }
}
