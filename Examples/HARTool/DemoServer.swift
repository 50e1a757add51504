import Foundation
import LoopbackServer
import Swallow
import SwallowTesting

/// What `HARTool record` talks to: a server on this machine, so that it works without a network.
enum DemoServer {
    static func start() throws -> LoopbackServer {
        try LoopbackServer { request in
            switch (request.method, request.path) {
            case ("GET", "/stores"):
                .delayed(.milliseconds(30), .json(Data(#"[{"id":41,"name":"Squirrel Hill"}]"#.utf8)))
            case ("GET", "/stores/41/photo"):
                .respond(
                    .data(Data((0..<40_000).map { UInt8(truncatingIfNeeded: $0) }), contentType: "image/png"))
            case ("POST", "/login"):
                .delayed(
                    .milliseconds(10),
                    .json(Data(#"{"token":"4f1c","user":{"mail":"ada@example.com"}}"#.utf8)))
            case ("GET", "/old"): .respond(.redirect(to: "/stores"))
            default: .respond(.json(Data(#"{"message":"not here"}"#.utf8), status: 404))
            }
        }
    }

    /// Sends some requests, which are recorded; one of them gets an error.
    static func record(from url: String, to file: URL) async throws {
        let redaction = HAR.Redaction(bodies: ["$.user.mail"])
        let service = WebService(
            baseURLString: url,
            dataSource: WebService.standardDataSource.recording(to: file, redacting: redaction))
        let options: [Request.Option] = [.header("Authorization", "Bearer 4f1c")]
        _ = try await service.POST("/login", parameters: ["user": "ada", "password": "b3rnoulli"]).data
        let stores = service.GET("/stores", parameters: ["zip": "15217"], options: options)
        let photo = service.GET("/stores/41/photo", options: options)
        _ = try await (stores.data, photo.data)
        _ = try await service.GET("/old").data
        _ = await service.GET("/nothing").result
    }
}
