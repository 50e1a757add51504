import Foundation
import LoopbackServer
import Swallow
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A file that goes away with its test.
final class TemporaryFile: Sendable {
    let url: URL

    init(_ data: Data, named name: String = "body.bin") throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "swallow-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appending(path: name)
        try data.write(to: url)
    }

    deinit {
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }

    func append(_ data: Data) throws {
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        try handle.seekToEnd()
        try handle.write(contentsOf: data)
    }

    func truncate(to size: UInt64) throws {
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        try handle.truncate(atOffset: size)
    }
}

/// Parts that a test hands out, and that it sees asked for.
struct ManualParts: Sendable {
    let sequence: AsyncThrowingStream<Data, any Error>
    private let continuation: AsyncThrowingStream<Data, any Error>.Continuation
    let end = TestSupport.Event()

    init() {
        (sequence, continuation) = AsyncThrowingStream.makeStream()
        continuation.onTermination = { [end] _ in end.happen() }
    }

    func send(_ text: String) { continuation.yield(Data(text.utf8)) }
    func finish(throwing error: (any Error)? = nil) { continuation.finish(throwing: error) }
}

/// So many parts, each of so many bytes, made when they are asked for.
struct MadeParts: AsyncSequence, Sendable {
    let count: Int
    let size: Int
    let asked = Recorder<Int>()

    struct AsyncIterator: AsyncIteratorProtocol {
        let parts: MadeParts
        var made = 0

        mutating func next() async throws -> Data? {
            if made == parts.count { return nil }
            parts.asked.append(made)
            made += 1
            return Data(repeating: UInt8(truncatingIfNeeded: made), count: parts.size)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: self) }
}

extension LoopbackServer {
    /// A request with a body that is read while it is sent.
    func upload(_ path: String, _ body: RequestBody, _ method: String = "PUT") throws -> URLRequest {
        var request = try self.request(path, method)
        request.streamedBody = body
        return request
    }
}
