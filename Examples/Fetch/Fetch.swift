import Foundation
import Swallow

/// Performs the downloads or the upload, and shows their progress.
@MainActor
struct Fetch {
    private let service: WebService
    private let board: Board

    init() {
        let board = Board()
        self.board = board
        service = .files { url in
            Task { @MainActor in board.tell(URL(string: url)?.fileName ?? url, "connection lost, resuming") }
        }
    }

    /// Returns whether every transfer succeeded.
    func run(_ arguments: Arguments) async throws -> Bool {
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
            var succeeded = true
            for await isFetched in group where !isFetched { succeeded = false }
            return succeeded
        }
    }

    private func fetch(_ url: URL, into folder: URL) async -> Bool {
        let task = service.fetch(url, into: folder)
        board.add(url.fileName, task)
        do throws(ServiceError) {
            let file = try await task.content(as: URL.self)
            let size = try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize
            board.end(url.fileName, "\(Board.text(bytes: Int64(size ?? 0)))  done")
            return true
        } catch {
            board.end(url.fileName, error.userMessage)
            return false
        }
    }

    private func send(_ file: URL, to url: URL) async -> Bool {
        let task = service.send(file, to: url)
        board.add(file.lastPathComponent, task)
        switch await task.result {
        case .success(let entity):
            let sent = Board.text(bytes: task.progress.sent)
            board.end(file.lastPathComponent, "\(sent)  sent, \(entity.statusCode ?? 0)")
            return true
        case .failure(let error):
            board.end(file.lastPathComponent, error.userMessage)
            return false
        }
    }
}
