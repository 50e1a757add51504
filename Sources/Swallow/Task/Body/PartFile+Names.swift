import Foundation

/// What the files beside a download's target are called.
///
/// The part of one that resumes has the target's name and an ending. Any other has a number as well, so that only a process
/// that was killed can leave it behind.
extension PartFile {
    static let partEnding = ".swallow-part"
    static let recordEnding = ".swallow-record"

    /// What the names for a target begin with: its own, unless that leaves no room for more in 255 bytes.
    static func base(for target: String) -> String {
        let url = URL(fileURLWithPath: target)
        if url.lastPathComponent.utf8.count <= 200 { return target }
        let digest = SHA256.hexDigest(of: url.lastPathComponent)
        return url.deletingLastPathComponent().appendingPathComponent(digest, isDirectory: false).path
    }

    static func number() -> String {
        SHA256.hexadecimal((0..<8).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// Removes the parts that nobody continues, of downloads to the same target whose process was killed.
    static func removeLeftovers(of base: String) {
        let folder = folder(of: base)
        let prefix = Substring(base.utf8.dropFirst(folder.utf8.count)) + "-"
        for name in SystemFile.names(in: folder, where: { isNumbered($0, prefix) }) {
            let path = folder + name
            // Another target's, which happens to have such a name.
            if SystemFile.kind(of: path.dropLast(partEnding.count) + recordEnding) != nil { continue }
            guard let file = try? SystemFile.existing(path, forUpdating: true), file.isOwn, file.size != nil,
                file.lock(), file.isAt(path)
            else { continue }
            SystemFile.remove(path)
        }
    }

    /// What a path has up to its last slash.
    static func folder(of path: String) -> String {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        return String(path[..<start])
    }

    /// Whether a name has sixteen hexadecimal digits between this beginning and a part's ending.
    private static func isNumbered(_ name: String, _ prefix: Substring) -> Bool {
        let (name, ending) = (name.utf8, partEnding.utf8)
        guard name.count == prefix.utf8.count + 16 + ending.count, name.starts(with: prefix.utf8),
            name.suffix(ending.count).elementsEqual(ending)
        else { return false }
        return name.dropFirst(prefix.utf8.count).prefix(16).allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
    }
}
