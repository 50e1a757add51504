import Foundation
import LoopbackServer

/// A server with three files on this machine. It truncates the first response with `film.bin`.
// Unchecked, because `hasBrokenOff` is accessed only by `breaksOff`, while the lock is held.
final class FetchServer: @unchecked Sendable {
    private let lock = NSLock()
    private var hasBrokenOff = false
    private let files = [
        "/film.bin": Data(repeating: 0xF1, count: 8_000_000),
        "/book.txt": Data(repeating: 0x62, count: 1_200_000),
        "/map.png": Data(repeating: 0x3D, count: 3_400_000),
    ]

    func start() throws -> LoopbackServer {
        try LoopbackServer(recordsRequests: false) { request in self.answer(to: request) }
    }

    static func urls(_ server: LoopbackServer) -> [URL] {
        ["film.bin", "book.txt", "map.png"].compactMap { URL(string: "\(server.baseURLString)/\($0)") }
    }

    private func answer(to request: LoopbackServer.Request) -> LoopbackServer.Reply {
        if request.method == "PUT" { return .respond(.status(201)) }
        guard let content = files[request.path] else { return .respond(.status(404)) }
        let tag = "\"\(content.count)\""
        let response = LoopbackServer.Response.ranged(content, to: request, fields: [("ETag", tag)])
        return .respond(breaksOff(request) ? response.truncated(after: content.count * 2 / 5) : response)
    }

    private func breaksOff(_ request: LoopbackServer.Request) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        if hasBrokenOff || request.path != "/film.bin" { return false }
        hasBrokenOff = true
        return true
    }
}
