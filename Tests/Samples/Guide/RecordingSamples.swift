import Foundation
import Swallow
import SwallowTesting
import Testing

@Suite("The guide's recordings")
struct RecordingSamples {
    private let replays = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Replays")

    @Test func showsTheUser() async throws {
        let service = WebService(
            baseURLString: "https://api.example.com", dataSource: .replaying("fetchUser"))

        #expect(try await service.GET("/users/7").json["name"].string == "Ada")
    }

    @Test("are matched by what is asked for")
    func matching() async throws {
        let file = replays.appending(path: "fetchUser.har")
        let dataSource = ReplayingDataSource(
            try HAR(contentsOf: file),
            matching: [.method, .path, .headers("Accept-Language"), .body],
            repeats: .last)
        let service = WebService(baseURLString: "http://localhost:8080", dataSource: dataSource)
        for _ in 0..<3 { #expect(try await service.GET("/users/7").json["name"].string == "Ada") }
    }

    @Test("have no secrets")
    func redaction() throws {
        let redaction = HAR.Redaction(
            .standard.adding(["X-Device", "pin"]),
            bodies: ["$.user.email", "$..phone"],
            requests: { request in request.url = request.url.replacing(/device=\w+/, with: "device=0") })
        let recording = #"""
            {"log": {"version": "1.2", "entries": [{
                "startedDateTime": "1970-01-01T00:00:00Z",
                "request": {
                    "method": "GET", "url": "https://h/me?device=4f&pin=4711",
                    "headers": [{"name": "X-Device", "value": "s3cret"}]
                },
                "response": {
                    "status": 200,
                    "content": {"mimeType": "application/json", "text": "[{\"phone\":\"0170\"}]"}
                }
            }]}}
            """#
        let redacted = redaction.redacted(try HAR(parsing: Data(recording.utf8))).entries[0]
        #expect(redacted.request.url == "https://h/me?device=0&pin=%3Credacted%3E")
        #expect(redacted.request.headers[0].value == "<redacted>")
        #expect(redacted.response.body == Data(#"[{"phone":"<redacted>"}]"#.utf8))
    }

    @Test("keep what an app sends")
    func recording() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "swallow-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "session.har")
        let stub = StubDataSource().stub(.GET, "/users/7", .json(["name": "Ada"]))
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        service.dataSource = service.dataSource.recording(to: file, bodiesInFilesOver: 100_000)
        _ = try await service.GET("/users/7").data
        #expect(try HAR(contentsOf: file).entries.map(\.request.url) == ["https://api.example.com/users/7"])
    }
}
