import Foundation
import LoopbackServer

/// The server on this machine whose exchanges `HARTool record` records.
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
}
