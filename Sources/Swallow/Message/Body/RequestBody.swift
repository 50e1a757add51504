import Foundation

/// A request's body that need not be in memory: read in steps while it is sent, a few hundred kilobytes ahead at most.
///
/// ```swift
/// service.PUT("/films/7", options: [.body(file: film, contentType: "video/mp4")])
/// ```
///
/// In a data source or an `adaptRequest` closure, it is the request's `streamedBody`.
public struct RequestBody: Sendable {
    enum Form: Sendable {
        case data(Data)
        case file(URL)
        case stream(length: Int64?, open: @Sendable () throws -> InputStream)
        case parts(BodyParts)
        /// A stream that can't be opened again, part of which may have been read.
        case opened(OpenedBody)
        /// One after the other.
        case joined([RequestBody])
    }

    let form: Form

    /// Bytes in memory.
    public static func data(_ data: Data) -> RequestBody { RequestBody(form: .data(data)) }

    /// A file's bytes. The file is read each time the body is sent.
    ///
    /// A file that reports a size of zero and has bytes, as those in `/proc` do, goes out in chunks (RFC 9112 §7.1). What
    /// isn't a file, can't be read, or becomes shorter or longer while it is read ends the request with `.invalidRequest`.
    public static func file(_ url: URL) -> RequestBody { RequestBody(form: .file(url)) }

    /// A stream that can be opened anew, for a redirect or a retry.
    ///
    /// - Parameters:
    ///   - length: how many bytes the stream has; nil, the default, is unknown, and then the body goes out in chunks
    ///     (RFC 9112 §7.1). A stream with more or fewer ends the request with `.invalidRequest`.
    ///   - open: gives a stream at the body's beginning that isn't open yet; called for each sending, on a thread that
    ///     may block. An error that it throws ends the request with `.invalidRequest`.
    public static func stream(
        length: Int64? = nil, open: @escaping @Sendable () throws -> InputStream
    ) -> RequestBody {
        RequestBody(form: .stream(length: length, open: open))
    }

    /// Parts as they come, sent once; the response may come meanwhile.
    ///
    /// The next part is asked for when there is room for it. A redirect that keeps the body, or a retry, ends with
    /// `.invalidRequest`, as does a second request with the same body, and a sequence that throws.
    ///
    /// - Parameters:
    ///   - parts: iterated in a Swift task of its own, which is cancelled with the request.
    ///   - length: how many bytes the parts have together; nil, the default, is unknown, and then the body goes out in
    ///     chunks (RFC 9112 §7.1).
    ///   - trailers: gives the fields that follow the body (RFC 9110 §6.5), after the last part. Such a body goes out
    ///     in chunks even if its length is known. HTTP/2 sends no trailers yet.
    public static func parts<Parts: AsyncSequence & Sendable>(
        _ parts: Parts, length: Int64? = nil, trailers: (@Sendable () async throws -> Headers)? = nil
    ) -> RequestBody where Parts.Element == Data {
        let sequence = BodyParts(length: length, hasTrailers: trailers != nil) { send in
            for try await part in parts { try await send(part) }
            return try await trailers?() ?? [:]
        }
        return RequestBody(form: .parts(sequence))
    }

    /// Whether it can be sent more than once: after a redirect that keeps the body, say, or for a retry.
    package var isRepeatable: Bool {
        switch form {
        case .data, .file, .stream: true
        case .parts, .opened: false
        case .joined(let bodies): bodies.allSatisfy(\.isRepeatable)
        }
    }
}

extension RequestBody {
    /// Several bodies in one; none of them is one of `parts`.
    package static func joined(_ bodies: [RequestBody]) -> RequestBody { RequestBody(form: .joined(bodies)) }

    /// The bytes, if the body is in memory.
    package var data: Data? {
        if case .data(let data) = form { data } else { nil }
    }

    var isFile: Bool {
        if case .file = form { true } else { false }
    }

    /// Whether its bytes come from an asynchronous sequence, so that the thread that gives them can't wait for them.
    package var isAsynchronous: Bool {
        if case .parts = form { true } else { false }
    }

    /// Whether fields may follow it.
    var hasTrailers: Bool {
        if case .parts(let parts) = form { parts.hasTrailers } else { false }
    }
}

/// The parts of a body that goes out once.
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

    /// Takes the closure that sends all parts; nil from the second time on.
    func take() -> Run? { run.withLock { $0.take() } }
}

/// A stream that is open, sent once.
final class OpenedBody: Sendable {
    let length: Int64?
    private let reader: Lock<SentReader?>

    init(_ reader: SentReader, length: Int64?) {
        self.length = length
        self.reader = Lock(reader)
    }

    /// Takes the reader of the rest; nil from the second time on.
    func take() -> SentReader? { reader.withLock { $0.take() } }
}
