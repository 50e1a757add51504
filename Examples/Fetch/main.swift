// Fetches files, several at once, and goes on where a transfer broke off: `Fetch [URL…] [-o FOLDER]`; or sends one:
// `Fetch -T FILE URL`.
//
// Without a URL it starts a server of its own on this machine, and fetches its files into a temporary folder.

import Foundation
import Swallow

do {
    var arguments = try Arguments(CommandLine.arguments.dropFirst())
    let server = arguments.urls.isEmpty ? try FetchServer().start() : nil
    defer { server?.stop() }
    if let server {
        arguments.urls = FetchServer.urls(server)
        arguments.folder = .temporaryDirectory.appending(path: "Fetch-\(getpid())")
    }
    let isFine = try await Fetch().run(arguments)
    if server != nil { try FileManager.default.removeItem(at: arguments.folder) }
    if !isFine { exit(1) }
} catch {
    try? FileHandle.standardError.write(contentsOf: Data("Fetch: \(error)\n".utf8))
    exit(1)
}
