// Browses GitHub: `GitHubBrowser user NAME`, `repo OWNER/NAME`, `search WORDS`.
//
// Without `--url`, the program starts its own server on this machine, which serves the files in `Fixtures`.
// `--url https://api.github.com` uses GitHub itself.

import Foundation
import Swallow

do {
    let arguments = try Arguments(CommandLine.arguments.dropFirst())
    let server = arguments.url == nil ? try RecordedGitHub.start() : nil
    defer { server?.stop() }
    let url = arguments.url ?? server?.baseURLString ?? ""
    let service = GitHub.service(url: url, credentials: arguments.credentials)
    try await Browser(service: service, maximumPages: arguments.pages).show(arguments.command)
} catch {
    let message = (error as? ServiceError)?.userMessage ?? "\(error)"
    try? FileHandle.standardError.write(contentsOf: Data("GitHubBrowser: \(message)\n".utf8))
    exit(1)
}
