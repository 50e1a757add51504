import Foundation

/// The names of the files beside a download's target.
///
/// A download that resumes has a part with the target's name and an ending. Any other part has a random number in its name,
/// so no later download finds it, and only a killed process leaves it behind.
extension PartFile {
    static let partEnding = ".swallow-part"
    static let recordEnding = ".swallow-record"

    /// The prefix of the names for a target: its path. A last component of more than 200 bytes is replaced by its
    /// digest.
    static func base(for target: String) -> String {
        let url = URL(fileURLWithPath: target)
        if url.lastPathComponent.utf8.count <= 200 { return target }
        let digest = SHA256.hexDigest(of: url.lastPathComponent)
        return url.deletingLastPathComponent().appendingPathComponent(digest, isDirectory: false).path
    }

    static func number() -> String {
        SHA256.hexadecimal((0..<8).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// Removes the numbered parts of downloads to the same target whose processes were killed.
    static func removeLeftovers(of base: String) {
        let folder = folder(of: base)
        let prefix = Substring(base.utf8.dropFirst(folder.utf8.count)) + "-"
        for name in SystemFile.names(in: folder, where: { isNumbered($0, prefix) }) {
            let path = folder + name
            // A part with a record belongs to another target, whose name looks like a numbered one.
            if SystemFile.kind(of: path.dropLast(partEnding.count) + recordEnding) != nil { continue }
            guard let file = try? SystemFile.existing(path, forUpdating: true), file.isOwn, file.size != nil,
                file.lock(), file.isAt(path)
            else { continue }
            SystemFile.remove(path)
        }
    }

    /// The path up to its last slash, which is included.
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
