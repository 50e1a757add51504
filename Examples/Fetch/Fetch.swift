import Foundation
import Swallow

/// Fetches files, several at once, and goes on where a transfer broke off: `Fetch [URL…] [-o FOLDER]`; or sends one:
/// `Fetch -T FILE URL`.
///
/// Without a URL it starts a server of its own on this machine, and fetches its files into a temporary folder.
@main
@MainActor
struct Fetch {
    private let service: WebService
    private let board = Board()

    static func main() async {
        do {
            var arguments = try Arguments(CommandLine.arguments.dropFirst())
            let server = arguments.urls.isEmpty ? try FetchServer().start() : nil
            defer { server?.stop() }
            if let server {
                arguments.urls = FetchServer.urls(server)
                arguments.folder = .temporaryDirectory.appending(path: "Fetch-\(getpid())")
            }
            let isFine = try await Fetch(arguments).run(arguments)
            if server != nil { try FileManager.default.removeItem(at: arguments.folder) }
            if !isFine { exit(1) }
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("Fetch: \(error)\n".utf8))
            exit(1)
        }
    }

    private init(_ arguments: Arguments) {
        // Each request has its own URL; the base is for those that have none.
        service = WebService(baseURLString: arguments.urls.first?.absoluteString ?? "")
    }

    /// Says whether all went well.
    private func run(_ arguments: Arguments) async throws -> Bool {
        let drawing = Task { await board.draw() }
        defer { drawing.cancel() }
        if let file = arguments.upload, let url = arguments.urls.first {
            return await send(file, to: url)
        }
        try FileManager.default.createDirectory(at: arguments.folder, withIntermediateDirectories: true)
        return await withTaskGroup(of: Bool.self) { group in
            for url in arguments.urls {
                group.addTask { await fetch(url, into: arguments.folder) }
            }
            var isFine = true
            for await isFetched in group where !isFetched { isFine = false }
            return isFine
        }
    }

    /// Fetches one file; where its connection is lost, the next attempt continues the part that is here.
    private func fetch(_ url: URL, into folder: URL) async -> Bool {
        let name =
            url.lastPathComponent.isEmpty || url.lastPathComponent == "/" ? "index" : url.lastPathComponent
        let target = folder.appending(path: name)
        for attempt in 1... {
            let task = service.GET(url, options: [.download(to: target, resumes: true)])
            board.add(name, task)
            do throws(ServiceError) {
                let file = try await task.content(as: URL.self)
                let size = (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
                board.end(name, "\(Board.text(bytes: Int64(size)))  done")
                return true
            } catch {
                guard error.isRetryable, attempt < 3 else {
                    board.end(name, error.userMessage)
                    return false
                }
                board.end(name, "broke off, goes on")
            }
        }
        return false
    }

    private func send(_ file: URL, to url: URL) async -> Bool {
        let task = service.PUT(url, options: [.body(file: file)])
        let name = file.lastPathComponent
        board.add(name, task)
        switch await task.result {
        case .success(let entity):
            let sent = Board.text(bytes: task.progress.sent)
            board.end(name, "\(sent)  sent, \(entity.statusCode ?? 0)")
            return true
        case .failure(let error):
            board.end(name, error.userMessage)
            return false
        }
    }
}
