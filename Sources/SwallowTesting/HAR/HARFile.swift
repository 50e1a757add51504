import Foundation
import Swallow

/// Writes entries to a recording on disk. Each write is atomic, and holds the folder's lock against other processes.
final class HARFile: Sendable {
    private struct Written: Sendable {
        var content: Content
        var mark: FileMark?
        /// The tickets of the last entries in the file, which this object has written.
        var tickets: [Int] = []
    }

    let url: URL
    private let lastTicket = Lock(0)
    /// Only the queue uses it.
    private let written = Lock<Written?>(nil)
    /// Waiting for the folder's lock must not block a thread of Swift's thread pool.
    private let queue = DispatchQueue(label: "swallow.har")

    private init(_ url: URL) {
        self.url = url
    }

    func ticket() -> Int {
        lastTicket.withLock { last in
            last += 1
            return last
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
        let replacesNow = replacesFile && !Self.files.withLock { $0.begun.contains(url.path) }
        if replacesNow { try? FileManager.default.removeItem(at: HAR.bodiesFolder(of: url)) }
        var written = try replacesNow ? Written(content: Content(HAR())) : current()
        let bodies = try entries.map { try $0.withBodyInFile(of: url, over: largest) }
        let place = written.tickets.firstIndex { $0 > ticket } ?? written.tickets.count
        written.content.insert(bodies, at: written.content.count - written.tickets.count + place)
        written.tickets.insert(contentsOf: bodies.map { _ in ticket }, at: place)
        try written.content.data.write(to: url, options: .atomic)
        written.mark = FileMark(url)
        if replacesNow { Self.files.withLock { _ = $0.begun.insert(url.path) } }
        self.written.withLock { [written] in $0 = written }
    }

    /// Returns the file as it is now. Reads it only if other code has changed it.
    private func current() throws -> Written {
        let mark = FileMark(url)
        if let written = written.withLock({ $0 }), written.mark == mark { return written }
        return Written(content: Content(mark == nil ? HAR() : try HAR(contentsOf: url)))
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
