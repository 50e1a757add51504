// Downloads several files at once and resumes interrupted transfers: `Fetch [URL…] [-o FOLDER]`. Or uploads a file:
// `Fetch -T FILE URL`.
//
// Without a URL, the program starts its own server on this machine and downloads its files to a temporary folder.

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
    let succeeded = try await Fetch().run(arguments)
    if server != nil { try FileManager.default.removeItem(at: arguments.folder) }
    if !succeeded { exit(1) }
} catch {
    try? FileHandle.standardError.write(contentsOf: Data("Fetch: \(error)\n".utf8))
    exit(1)
}
