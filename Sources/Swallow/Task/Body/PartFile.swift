import Foundation

/// The file beside a download's target that takes the bytes, and becomes the target once it is whole.
///
/// The part of a download that resumes has a name that the next one finds, and a record of what its bytes are of. Whoever
/// holds the part's lock may write both. Killed at any moment, they leave bytes with their own record, or bytes that are
/// worth nothing: the record is written over an empty part, and before the first byte.
///
/// Its functions wait for the file system.
final class PartFile: Sendable {
    private let file: SystemFile
    private let path: String
    private let target: String
    /// Nil for a part that nobody else is to find.
    private let recordPath: String?

    /// Opens the part of a download, and locks it; nil where another download has it.
    ///
    /// - Throws: `.invalidRequest` where the target can't be one; `.transport` where the file system doesn't allow it.
    init?(target: URL, resumes: Bool) throws(ServiceError) {
        guard target.isFileURL, !target.hasDirectoryPath else {
            throw ServiceError(
                .invalidRequest, detail: "the target \(target.absoluteString) is no file's URL")
        }
        let target = target.absoluteURL.path
        if SystemFile.isFolder(target) {
            throw ServiceError(.invalidRequest, detail: "the target \(target) is a folder")
        }
        try Self.check(target)
        self.target = target
        let targetBase = Self.base(for: target)
        let base = targetBase + (resumes ? "" : "-" + Self.number())
        path = base + Self.partEnding
        recordPath = resumes ? base + Self.recordEnding : nil
        do {
            file = try Self.locked(path)
        } catch {
            if error.code == EWOULDBLOCK { return nil }
            throw Self.failure(.cannotCreateFile, path, error)
        }
        Self.removeLeftovers(of: targetBase)
    }

    /// What an earlier download has left that can be continued.
    var remainder: (record: DownloadRecord, length: Int64)? {
        guard let recordPath, let size = file.size, size > 0,
            let recordFile = try? SystemFile.existing(recordPath), recordFile.isOwn,
            let recordSize = recordFile.size, recordSize <= DownloadRecord.maximumSize,
            let bytes = recordFile.prefix(recordSize), let record = DownloadRecord(Data(bytes))
        else { return nil }
        return (record, Int64(size))
    }

    /// Forgets what is in the part, and what it was of.
    func begin(_ record: DownloadRecord?) throws(ServiceError) {
        do {
            let isEmpty = file.size == 0
            try file.truncate(to: 0)
            guard let recordPath else { return }
            guard let record else { return SystemFile.remove(recordPath) }
            // Otherwise a power failure could leave the old bytes with the new record.
            if !isEmpty { try file.synchronize() }
            // In place of what has its name, which may have others.
            SystemFile.remove(recordPath)
            try SystemFile.new(recordPath).write(record.data, at: 0)
        } catch {
            throw Self.failure(.cannotWriteToFile, path, error)
        }
    }

    func write(_ bytes: Data, at offset: Int64) throws(ServiceError) {
        do {
            try file.write(bytes, at: Int(offset))
        } catch {
            throw Self.failure(.cannotWriteToFile, path, error)
        }
    }

    /// Makes the part, which has so many bytes, the target.
    ///
    /// - Throws: `.invalidRequest` where the target has become a link or a device, say; else `.transport`.
    func finish(length: Int64) throws(ServiceError) {
        guard file.size.map(Int64.init) == length, file.isAt(path) else {
            throw Self.failure(.cannotMoveFile, path, SystemFile.Failure(code: ENOENT))
        }
        try Self.check(target)
        do {
            try file.rename(path, to: target)
        } catch {
            throw Self.failure(.cannotMoveFile, target, error)
        }
        if let recordPath { SystemFile.remove(recordPath) }
    }

    /// Removes the part, unless it can be continued.
    ///
    /// - Parameter isWorthKeeping: whether it has bytes, and a record of what they are of.
    func abandon(isWorthKeeping: Bool) {
        if isWorthKeeping, recordPath != nil { return }
        if file.isAt(path) { SystemFile.remove(path) }
        if let recordPath { SystemFile.remove(recordPath) }
    }
}

extension PartFile {
    /// Only a regular file may be replaced: a device or a socket is no download's to remove, nor is a link, as `/dev/stdout` is
    /// one. A folder the file system itself refuses to.
    private static func check(_ target: String) throws(ServiceError) {
        switch SystemFile.kind(of: target) {
        case nil, S_IFREG, S_IFDIR: return
        default: throw ServiceError(.invalidRequest, detail: "the target \(target) is no regular file")
        }
    }

    /// A file at a path, which this process has for itself.
    private static func locked(_ path: String) throws(SystemFile.Failure) -> SystemFile {
        for _ in 0..<100 {
            let file = try SystemFile.shared(path)
            guard file.size != nil else { throw SystemFile.Failure(code: EEXIST) }
            // What others have put there could be anything.
            guard file.isOwn else { throw SystemFile.Failure(code: EPERM) }
            guard file.lock() else { throw SystemFile.Failure(code: EWOULDBLOCK) }
            // Whoever had the lock before may have made the file a target, or removed it.
            guard file.isAt(path) else { continue }
            if !file.hasOtherNames { return file }
            // What is written to it would be in another file, too.
            SystemFile.remove(path)
        }
        throw SystemFile.Failure(code: EWOULDBLOCK)
    }

    /// Removes the parts that nobody continues, of downloads to the same target whose process was killed.
    private static func removeLeftovers(of base: String) {
        let start = base.utf8.lastIndex(of: UInt8(ascii: "/")).map(base.utf8.index(after:)) ?? base.startIndex
        let (folder, prefix) = (String(base[..<start]), base[start...] + "-")
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

    private static let partEnding = ".swallow-part"
    private static let recordEnding = ".swallow-record"

    /// What the names for a target begin with: its own, unless that leaves no room for more in 255 bytes.
    private static func base(for target: String) -> String {
        let url = URL(fileURLWithPath: target)
        if url.lastPathComponent.utf8.count <= 200 { return target }
        let digest = SHA256.hexDigest(of: url.lastPathComponent)
        return url.deletingLastPathComponent().appendingPathComponent(digest, isDirectory: false).path
    }

    private static func number() -> String {
        SHA256.hexadecimal((0..<8).map { _ in UInt8.random(in: .min ... .max) })
    }

    static func failure(
        _ code: URLError.Code, _ path: String, _ error: any Error
    ) -> ServiceError {
        let failure = error as? SystemFile.Failure
        // It has the system's words.
        let underlying = failure.flatMap { POSIXErrorCode(rawValue: $0.code) }.map { POSIXError($0) }
        return ServiceError(.transport(URLError(code)), detail: path, underlying: underlying ?? error)
    }
}
