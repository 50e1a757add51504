import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The contract of a data task, from many threads")
struct StormTests {
    /// A data source whose tasks are stormed.
    enum Stormed: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case stub, parts, replaying, coalescing, intercepting, degraded, recording

        var testDescription: String { rawValue }

        func source(in folder: URL) throws -> any SessionDataTaskDataSource {
            let parts = StubDataSource().stub(.parts([Data("o".utf8), Data("k".utf8)])) { _ in true }
            switch self {
            case .stub: return StubDataSource().stub(.text("ok")) { _ in true }
            case .parts: return parts
            case .replaying:
                let har = try HAR(parsing: Self.answers)
                return ReplayingDataSource(har, repeats: .last)
            case .coalescing: return parts.coalescing()
            case .intercepting: return parts.intercepting { try await $1($0) }
            case .degraded: return parts.degraded()
            case .recording: return parts.recording(to: folder.appending(path: "storm.har"))
            }
        }

        /// One answer for each of the storm's URLs.
        private static var answers: Data {
            let entries = (0..<Storm.paths).map { path -> JSON in
                [
                    "startedDateTime": "2026-01-01T00:00:00Z", "time": 0, "cache": [:],
                    "timings": ["send": 0, "wait": 0, "receive": 0],
                    "request": [
                        "method": "GET", "url": .string("http://h/\(path)"), "httpVersion": "HTTP/1.1",
                        "cookies": [], "headers": [], "queryString": [], "headersSize": -1, "bodySize": 0,
                    ],
                    "response": [
                        "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [],
                        "headers": [], "redirectURL": "", "headersSize": -1, "bodySize": 2,
                        "content": ["size": 2, "mimeType": "text/plain", "text": "ok"],
                    ],
                ]
            }
            let log: JSON = [
                "version": "1.2", "creator": ["name": "test", "version": "1"], "entries": .array(entries),
            ]
            return (["log": log] as JSON).data
        }
    }

    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    @Test("Each task ends once, with its answer, or cancelled where it was", arguments: Stormed.allCases)
    func ends(stormed: Stormed) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = try stormed.source(in: folder)
        for _ in 0..<Sanitizer.rounds(5, sanitized: 1) {
            try await Storm(over: source, paths: Storm.paths).expectEnds()
        }
    }

    @Test(
        "Parts come in order, one at a time, and none after the end; what isn't cancelled comes whole",
        arguments: Stormed.allCases)
    func streams(stormed: Stormed) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = try stormed.source(in: folder)
        for _ in 0..<Sanitizer.rounds(5, sanitized: 1) {
            try await StreamStorm(over: source).expectContract()
        }
    }
}
