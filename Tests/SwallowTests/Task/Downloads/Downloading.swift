import Foundation
import LoopbackServer
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The target of a test's downloads: a file in a folder that is deleted after the test.
struct DownloadPlace {
    let folder = TemporaryFolder()
    let target: URL

    init() throws {
        target = folder.file("target.bin")
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    }
}

/// Tests that download the same content, each to its own folder.
protocol Downloading {
    var place: DownloadPlace { get }
}

extension Downloading {
    static var content: Data { DownloadContent.bytes }
    static var tag: [String: String] { ["ETag": "\"v1\""] }

    var folder: TemporaryFolder { place.folder }
    var target: URL { place.target }
    var written: Data? { try? Data(contentsOf: target) }

    func service(_ server: LoopbackServer) -> WebService {
        .test(WebService.standardDataSource, base: server.baseURLString)
    }

    func service(_ server: ServerSource) -> WebService { .test(server) }

    func download(
        _ server: ServerSource, resumes: Bool = true, options: [Request.Option] = []
    ) async -> Result<Entity<any Sendable>, ServiceError> {
        let option = Request.Option.download(to: target, resumes: resumes)
        return await service(server).GET("/file", options: options + [option]).result
    }

    /// The files that a download leaves if it can be resumed.
    var remainder: [String] { ["target.bin.swallow-part", "target.bin.swallow-record"] }

    /// A server that truncates its first responses to these numbers of bytes.
    func server(
        cutting cuts: [Int] = [], fields: [String: String] = tag, content: Data = content
    ) -> ServerSource {
        let cuts = Lock(cuts)
        return ServerSource { request in
            let answer = Answer.ranged(content, to: request, fields: fields)
            let cut = cuts.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            return cut.map { answer.truncated(after: $0) } ?? answer
        }
    }

    /// A server that sends the first 1000 bytes, then the complete content for requests without a range, and
    /// the closure's response for all other requests.
    func server(_ answer: @escaping @Sendable (URLRequest) -> Answer) -> ServerSource {
        let (content, tag, isFirst) = (Self.content, Self.tag, Lock(true))
        return ServerSource { request in
            let whole = Answer.ranged(content, to: request, fields: tag)
            if isFirst.withLock({ $0.exchange(for: false) }) { return whole.truncated(after: 1000) }
            return request.header("Range") == nil ? whole : answer(request)
        }
    }
}

private enum DownloadContent {
    static let bytes = LoopbackServer.octets(300_000)
}

extension Bool {
    /// Sets a new value and returns the old one.
    mutating func exchange(for value: Bool) -> Bool {
        defer { self = value }
        return self
    }
}
