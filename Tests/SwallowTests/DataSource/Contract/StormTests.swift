import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The contract of a recording, from many threads")
struct StormTests {
    @Test("Each task completes once, with its recorded response or as cancelled")
    func replaying() async throws {
        let contractCase = try #require(
            DataSourceContract.cases.first { $0.name == "Calls from many threads" })
        for _ in 0..<Sanitizer.rounds(5, sanitized: 1) {
            let har = try HAR(parsing: Self.recording)
            try await contractCase.run { _ in ReplayingDataSource(har, repeats: .last) }
        }
    }

    /// A recording of five requests.
    private static var recording: Data {
        let entries = (0..<5).map { number -> JSON in
            [
                "startedDateTime": "2026-01-01T00:00:00Z", "time": 0, "cache": [:],
                "timings": ["send": 0, "wait": 0, "receive": 0],
                "request": [
                    "method": "GET", "url": .string("http://contract.test/number/\(number)"),
                    "httpVersion": "HTTP/1.1", "cookies": [], "headers": [], "queryString": [],
                    "headersSize": -1, "bodySize": 0,
                ],
                "response": [
                    "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [],
                    "headers": [], "redirectURL": "", "headersSize": -1, "bodySize": 9,
                    "content": ["size": 9, "mimeType": "text/plain", "text": .string("/number/\(number)")],
                ],
            ]
        }
        let log: JSON = [
            "version": "1.2", "creator": ["name": "test", "version": "1"], "entries": .array(entries),
        ]
        return (["log": log] as JSON).data
    }
}
