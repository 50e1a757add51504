import Foundation
import Swallow
import SwallowTesting

extension WebService {
    /// A service that records its exchanges in a file, without secrets.
    static func recorded(url: String, to file: URL) -> WebService {
        let redaction = HAR.Redaction(bodies: ["$.user.mail"])
        return WebService(
            baseURLString: url,
            dataSource: WebService.standardDataSource.recording(to: file, redacting: redaction))
    }

    /// Sends some requests. One of them fails.
    func sendSome() async throws {
        let options: [Request.Option] = [.header("Authorization", "Bearer 4f1c")]
        try await POST("/login", parameters: ["user": "ada", "password": "b3rnoulli"]).finished()
        let stores = GET("/stores", parameters: ["zip": "15217"], options: options)
        let photo = GET("/stores/41/photo", options: options)
        _ = try await (stores.data, photo.data)
        try await GET("/old").finished()
        _ = await GET("/nothing").result
    }
}

extension HAR {
    /// Returns the recording without its secrets. `names` and `paths` add further secrets.
    func redacted(names: [String], paths: [String]) throws -> HAR {
        if let path = try paths.first(where: { try !Self.isJSONPath($0) }) { throw InvalidPath(path: path) }
        return HAR.Redaction(.standard.adding(names), bodies: paths).redacted(self)
    }

    /// Returns whether a redaction accepts the path. With an invalid path, it replaces each complete body.
    private static func isJSONPath(_ path: String) throws -> Bool {
        let text = #"{"log":{"entries":[{"request":{"postData":{"mimeType":"text/plain","text":"a"}}}]}}"#
        let redacted = HAR.Redaction(bodies: [path]).redacted(try HAR(parsing: Data(text.utf8)))
        return redacted.entries[0].request.body == Data("a".utf8)
    }
}

struct InvalidPath: Error, CustomStringConvertible {
    let path: String
    var description: String { "the value \"\(path)\" of --path isn't a JSON path" }
}
