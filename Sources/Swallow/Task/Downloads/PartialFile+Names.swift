import Foundation

extension PartialFile {
    static let partialFileSuffix = ".swallow-part"
    static let recordSuffix = ".swallow-record"

    /// Returns the target's path. A last component of more than 200 bytes is replaced by its digest.
    static func base(for target: String) -> String {
        let url = URL(fileURLWithPath: target)
        if url.lastPathComponent.utf8.count <= 200 { return target }
        let digest = SHA256.hexDigest(of: url.lastPathComponent)
        return url.deletingLastPathComponent().appendingPathComponent(digest, isDirectory: false).path
    }

    static func number() -> String {
        SHA256.hexadecimal((0..<8).map { _ in UInt8.random(in: .min ... .max) })
    }

    static func folder(of path: String) -> String {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        return String(path[..<start])
    }

    /// Creates and locks a file with the first free number up to 100, or a random one. May replace an unlocked file.
    static func lockedNumber(
        _ path: inout String, isPrivate: Bool
    ) throws(SystemFile.Failure) -> SystemFile {
        let start = path + "-"
        for number in 1...100 {
            path = start + "\(number)"
            if let file = try create(path, isPrivate: isPrivate) { return file }
        }
        path = start + Self.number()
        if let file = try create(path, isPrivate: isPrivate) { return file }
        throw SystemFile.Failure(code: EEXIST)
    }

    /// Creates and locks a file, which may replace an unlocked one. Returns `nil` if another name has to be tried.
    private static func create(_ path: String, isPrivate: Bool) throws(SystemFile.Failure) -> SystemFile? {
        removeAbandonedFile(path)
        do throws(SystemFile.Failure) {
            let file = try lock(SystemFile.newShared(path, isPrivate: isPrivate))
            // Another download may have deleted the file before it was locked.
            if file.isAt(path) { return file }
            return nil
        } catch {
            if [EEXIST, EWOULDBLOCK].contains(error.code) { return nil }
            throw error
        }
    }

    private static func removeAbandonedFile(_ path: String) {
        guard SystemFile.kind(of: path) == S_IFREG,
            let file = try? lock(SystemFile.existing(path, forUpdating: true)), file.isAt(path)
        else { return }
        SystemFile.remove(path)
    }
}
