import Foundation

/// The names of the files beside a download's target.
///
/// The partial file of a download that resumes has the target's name and an ending. The partial file of any other download
/// has a number after the ending. Only a killed process leaves such a file behind, and a later download deletes it.
extension PartialFile {
    static let partEnding = ".swallow-part"
    static let recordEnding = ".swallow-record"

    /// Returns the prefix of the names for a target, which is the target's path. If the last component has more than 200
    /// bytes, it is replaced by its digest.
    static func base(for target: String) -> String {
        let url = URL(fileURLWithPath: target)
        if url.lastPathComponent.utf8.count <= 200 { return target }
        let digest = SHA256.hexDigest(of: url.lastPathComponent)
        return url.deletingLastPathComponent().appendingPathComponent(digest, isDirectory: false).path
    }

    /// Returns a random number of sixteen hexadecimal digits.
    static func number() -> String {
        SHA256.hexadecimal((0..<8).map { _ in UInt8.random(in: .min ... .max) })
    }

    /// Returns the path up to and including its last slash.
    static func folder(of path: String) -> String {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        return String(path[..<start])
    }

    /// Creates and locks a file with the first number that no other download uses. Low numbers are tried first, so
    /// that a download finds and deletes the file that a killed process left, without listing the folder.
    ///
    /// - Parameter path: The path without a number. The number is added to it.
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

    /// Creates and locks a file. If a killed process left a file with that name, the new file replaces it.
    ///
    /// - Returns: `nil` if another download, another user, a link or a folder has the name.
    private static func create(_ path: String, isPrivate: Bool) throws(SystemFile.Failure) -> SystemFile? {
        removeLeftover(path)
        do throws(SystemFile.Failure) {
            let file = try lock(SystemFile.newShared(path, isPrivate: isPrivate))
            // Another download may have deleted it as the file of a killed process.
            if file.isAt(path) { return file }
            return nil
        } catch {
            if [EEXIST, EWOULDBLOCK].contains(error.code) { return nil }
            throw error
        }
    }

    private static func removeLeftover(_ path: String) {
        guard SystemFile.kind(of: path) == S_IFREG,
            let file = try? lock(SystemFile.existing(path, forUpdating: true)), file.isAt(path)
        else { return }
        SystemFile.remove(path)
    }
}
