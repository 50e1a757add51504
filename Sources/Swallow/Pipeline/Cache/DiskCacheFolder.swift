import Foundation

/// The names in a disk cache's folder, and which of its files have to go.
///
/// An entry is called by 64 lower-case digits, see ``DiskCacheKey``, and `.swallow`, and a file that is
/// being written by the same digits, `-`, 16 more digits and `.swallow-temporary`. Other files are none of
/// ours.
struct DiskCacheFolder: Sendable {
    private static let entryEnding = ".swallow"
    private static let temporaryEnding = ".swallow-temporary"

    let path: String

    func path(of name: String) -> String { "\(path)/\(name)" }

    func entryName(_ key: DiskCacheKey) -> String { key.digits + Self.entryEnding }

    func temporaryName(_ key: DiskCacheKey) -> String {
        let number = (0..<8).map { _ in UInt8.random(in: .min ... .max) }
        return "\(key.digits)-\(SHA256.hexadecimal(number))\(Self.temporaryEnding)"
    }

    /// Makes the folder, for its owner only; one that is there stays as it is.
    func create() {
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Removes what writers that are gone have left and, where the entries' sizes sum up to more than
    /// `limit`, the least recently used until an eighth of it is free. The entry named `kept` stays.
    ///
    /// - Returns: the size of the entries that stay, in bytes.
    func sweep(limit: Int, keeping kept: String? = nil) -> Int {
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
        for entry in entries.sorted(by: { $0.used < $1.used }) where entry.name != kept {
            if total <= goal { break }
            SystemFile.remove(path(of: entry.name))
            total -= entry.size
        }
        return total
    }

    /// Removes the entries of all keys that have their first line in common.
    func removeVariants(of key: DiskCacheKey) {
        for name in names where Self.isEntry(name) && name.hasPrefix(key.family) {
            SystemFile.remove(path(of: name))
        }
    }

    /// Removes all entries.
    func removeAll() {
        for name in names {
            if Self.isEntry(name) { SystemFile.remove(path(of: name)) }
            if Self.isTemporary(name) { removeIfAbandoned(name) }
        }
    }

    /// The paths of all entries.
    var entryPaths: [String] { names.filter(Self.isEntry).map(path) }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    /// A writer holds the lock of its file for as long as it lives.
    private func removeIfAbandoned(_ name: String) {
        let path = path(of: name)
        guard let file = try? SystemFile.existing(path), file.size != nil, file.lock() else { return }
        SystemFile.remove(path)
    }

    private static func isEntry(_ name: String) -> Bool {
        name.hasSuffix(entryEnding) && isDigits(name.dropLast(entryEnding.count), count: 64)
    }

    private static func isTemporary(_ name: String) -> Bool {
        guard name.hasSuffix(temporaryEnding) else { return false }
        let parts = name.dropLast(temporaryEnding.count).split(
            separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && isDigits(parts[0], count: 64) && isDigits(parts[1], count: 16)
    }

    private static func isDigits(_ text: Substring, count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}

/// A key as a disk cache's files have it.
struct DiskCacheKey {
    /// The SHA-256 digest of the key.
    let digest: [UInt8]
    /// What the names of all keys with the same first line begin with: half the digits of its digest.
    let family: String

    init(_ key: String) {
        digest = SHA256.digest(of: Array(key.utf8))
        let line = key.utf8.prefix { $0 != UInt8(ascii: "\n") }
        let start = line.count == key.utf8.count ? digest : SHA256.digest(of: Array(line))
        family = SHA256.hexadecimal(Array(start.prefix(16)))
    }

    /// The 64 digits that the key's file is called by.
    var digits: String { family + SHA256.hexadecimal(Array(digest.suffix(16))) }
}
