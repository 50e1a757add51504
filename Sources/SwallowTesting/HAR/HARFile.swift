import Foundation
import Swallow

/// Writes entries to a recording on disk. Each write is atomic, and holds the folder's lock against other processes.
final class HARFile: Sendable {
    private struct State: Sendable {
        var content: Content?
        var mark: FileMark?
        var tickets: [Int] = []
        var lastTicket = 0
    }

    let url: URL
    private let state = Lock(State())
    /// Waiting for the folder's lock must not block a thread of Swift's thread pool.
    private let queue = DispatchQueue(label: "swallow.har")

    private init(_ url: URL) {
        self.url = url
    }

    func ticket() -> Int {
        state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
    }

    /// Adds entries to the file, on the queue because `entries` may block. With `replacesFile`, the first such write of
    /// this process removes all earlier entries. A response body over `largest` bytes has its own file.
    func append(
        _ entries: @escaping @Sendable () -> [HAR.Entry], ticket: Int, largest: Int?, replacesFile: Bool,
        completion: @escaping @Sendable (ServiceError?) -> Void
    ) {
        queue.async {
            do {
                let entries = entries()
                if !entries.isEmpty {
                    try self.write(entries, ticket: ticket, largest: largest, replacesFile: replacesFile)
                }
                completion(nil)
            } catch {
                let cause = (error as? ServiceError)?.underlying ?? error
                completion(
                    ServiceError(
                        .invalidResponse, detail: "the recording \(self.url.path) can't be written",
                        underlying: cause))
            }
        }
    }

    private func write(_ entries: [HAR.Entry], ticket: Int, largest: Int?, replacesFile: Bool) throws {
        let folder = url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try SystemFile.withLock(onFolder: folder.path) {
            try writeLocked(entries, ticket: ticket, largest: largest, replacesFile: replacesFile)
        }
    }

    private func writeLocked(_ entries: [HAR.Entry], ticket: Int, largest: Int?, replacesFile: Bool) throws {
        var state = state.withLock { $0 }
        let mark = FileMark(url)
        let replacesNow = replacesFile && !hasBegun
        if replacesNow {
            (state.content, state.tickets) = (Content(HAR()), [])
            try? FileManager.default.removeItem(at: HAR.bodiesFolder(of: url))
        } else if state.content == nil || mark != state.mark {
            let har = mark == nil ? HAR() : try HAR(contentsOf: url)
            (state.content, state.tickets) = (Content(har), [])
        }
        guard var content = state.content else { return }
        let bodies = try entries.map { try $0.withBodyInFile(of: url, over: largest) }
        let place = state.tickets.firstIndex { $0 > ticket } ?? state.tickets.count
        content.insert(bodies, at: content.count - state.tickets.count + place)
        try content.data.write(to: url, options: .atomic)
        if replacesNow { Self.files.withLock { _ = $0.begun.insert(url.path) } }
        let (written, newMark, tickets) = (
            content, FileMark(url), Array(repeating: ticket, count: bodies.count)
        )
        self.state.withLock { current in
            current.content = written
            current.mark = newMark
            current.tickets = state.tickets
            current.tickets.insert(contentsOf: tickets, at: place)
        }
    }
}

extension HARFile {
    private struct Weak: Sendable {
        weak let file: HARFile?
    }

    private struct Files: Sendable {
        var open: [String: Weak] = [:]
        var begun: Set<String> = []
    }

    /// One object for each file, so that all data sources of a file share its tickets.
    private static let files = Lock(Files())

    static func at(_ url: URL) -> HARFile {
        let url = url.standardizedFileURL.resolvingSymlinksInPath()
        return files.withLock { files in
            if let file = files.open[url.path]?.file { return file }
            let file = HARFile(url)
            files.open = files.open.filter { $0.value.file != nil }
            files.open[url.path] = Weak(file: file)
            return file
        }
    }

    private var hasBegun: Bool { Self.files.withLock { $0.begun.contains(url.path) } }
}

private struct FileMark: Sendable, Equatable {
    private let number: UInt64
    private let size: UInt64
    private let date: Date

    init?(_ url: URL) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else { return nil }
        number = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
        size = (attributes[.size] as? NSNumber)?.uint64Value ?? 0
        date = attributes[.modificationDate] as? Date ?? .distantPast
    }
}

extension HARFile {
    /// The document's text in parts. Until other code changes the file, a write encodes only the new entries.
    private struct Content: Sendable {
        private let start: String
        private let end: String
        private var entries: [String]

        init(_ har: HAR) {
            let placeholder = UUID().uuidString
            let log = har.json["log"].setting("entries", to: .string(placeholder))
            let parts = har.json.setting("log", to: log).prettyPrinted.components(
                separatedBy: "\"\(placeholder)\"")
            (start, end) = (parts.first ?? "", parts.count > 1 ? parts[1] : "")
            entries = har.entries.map(Self.text)
        }

        var count: Int { entries.count }

        mutating func insert(_ new: [HAR.Entry], at place: Int) {
            entries.insert(contentsOf: new.map(Self.text), at: place)
        }

        var data: Data {
            let list = entries.joined(separator: ",\n      ")
            return Data("\(start)\(entries.isEmpty ? "[]" : "[\n      \(list)\n    ]")\(end)\n".utf8)
        }

        private static func text(_ entry: HAR.Entry) -> String {
            entry.json.prettyPrinted.split(separator: "\n").joined(separator: "\n      ")
        }
    }
}
