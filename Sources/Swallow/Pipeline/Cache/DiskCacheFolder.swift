import Foundation

/// The names of a disk cache's files, and the rules for removing them. An entry's name is 64 hexadecimal digits and
/// `.swallow`. While a cache writes a file, its name is these digits, `-`, 16 random ones and `.swallow-temporary`.
struct DiskCacheFolder: Sendable {
    private static let entrySuffix = ".swallow"
    private static let temporarySuffix = ".swallow-temporary"

    let path: String

    func path(of name: String) -> String { "\(path)/\(name)" }

    func entryName(_ key: DiskCacheKey) -> String { key.digits + Self.entrySuffix }

    func temporaryName(_ key: DiskCacheKey) -> String {
        let number = (0..<8).map { _ in UInt8.random(in: .min ... .max) }
        return "\(key.digits)-\(SHA256.hexadecimal(number))\(Self.temporarySuffix)"
    }

    /// Creates the folder with access only for its owner. An existing folder stays unchanged.
    func create() {
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Removes abandoned temporary files. If the entries exceed `limit` bytes, also removes the least recently used
    /// ones, except `keptName`, until an eighth of the limit is free. Returns the remaining entries' size in bytes.
    func sweep(limit: Int, keeping keptName: String? = nil) -> Int {
        var entries: [(name: String, size: Int, used: (Int, Int))] = []
        for name in names {
            if Self.isTemporary(name) {
                removeIfAbandoned(name)
            } else if Self.isEntry(name), let status = SystemFile.status(path(of: name)) {
                entries.append((name, status.size, status.used))
            }
        }
        var total = entries.reduce(0) { $0 + $1.size }
        guard total > limit else { return total }
        let goal = limit - limit / 8
        for entry in entries.sorted(by: { $0.used < $1.used }) where entry.name != keptName {
            if total <= goal { break }
            SystemFile.remove(path(of: entry.name))
            total -= entry.size
        }
        return total
    }

    func removeVariants(of key: DiskCacheKey) {
        for name in names where Self.isEntry(name) && name.hasPrefix(key.family) {
            SystemFile.remove(path(of: name))
        }
    }

    func removeAll() {
        for name in names {
            if Self.isEntry(name) { SystemFile.remove(path(of: name)) }
            if Self.isTemporary(name) { removeIfAbandoned(name) }
        }
    }

    var entryPaths: [String] { names.filter(Self.isEntry).map(path) }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    /// Removes a temporary file unless its writer, which holds a lock until it closes the file, is still running.
    private func removeIfAbandoned(_ name: String) {
        let path = path(of: name)
        guard let file = try? SystemFile.existing(path), file.size != nil, file.lock() else { return }
        SystemFile.remove(path)
    }

    private static func isEntry(_ name: String) -> Bool {
        name.hasSuffix(entrySuffix) && isDigits(name.dropLast(entrySuffix.count), count: 64)
    }

    private static func isTemporary(_ name: String) -> Bool {
        guard name.hasSuffix(temporarySuffix) else { return false }
        let parts = name.dropLast(temporarySuffix.count).split(
            separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && isDigits(parts[0], count: 64) && isDigits(parts[1], count: 16)
    }

    private static func isDigits(_ text: Substring, count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}

struct DiskCacheKey {
    let digest: [UInt8]
    /// The first 32 digits of the file name, a digest of the key's first line. Keys with the same first line share it.
    let family: String

    init(_ key: String) {
        digest = SHA256.digest(of: Array(key.utf8))
        let line = key.utf8.prefix { $0 != UInt8(ascii: "\n") }
        let start = line.count == key.utf8.count ? digest : SHA256.digest(of: Array(line))
        family = SHA256.hexadecimal(Array(start.prefix(16)))
    }

    var digits: String { family + SHA256.hexadecimal(Array(digest.suffix(16))) }
}
