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
        self.target = target
        let base = Self.base(for: target) + (resumes ? "" : "-" + Self.number())
        path = base + ".swallow-part"
        recordPath = resumes ? base + ".swallow-record" : nil
        do {
            file = try Self.locked(path)
        } catch {
            if error.code == EWOULDBLOCK { return nil }
            throw Self.failure(.cannotCreateFile, path, error)
        }
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
            let recordFile = try SystemFile.shared(recordPath)
            try recordFile.truncate(to: 0)
            try recordFile.write(record.data, at: 0)
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
    func finish(length: Int64) throws(ServiceError) {
        guard file.size.map(Int64.init) == length, file.isAt(path) else {
            throw Self.failure(.cannotMoveFile, path, SystemFile.Failure(code: ENOENT))
        }
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
    /// A file at a path, which this process has for itself.
    private static func locked(_ path: String) throws(SystemFile.Failure) -> SystemFile {
        while true {
            let file = try SystemFile.shared(path)
            guard file.size != nil else { throw SystemFile.Failure(code: EEXIST) }
            // What others have put there could be anything.
            guard file.isOwn else { throw SystemFile.Failure(code: EPERM) }
            guard file.lock() else { throw SystemFile.Failure(code: EWOULDBLOCK) }
            // Whoever had the lock before may have made the file a target, or removed it.
            if file.isAt(path) { return file }
        }
    }

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

    private static func failure(
        _ code: URLError.Code, _ path: String, _ error: any Error
    ) -> ServiceError {
        let failure = error as? SystemFile.Failure
        let words = failure.map { String(cString: strerror($0.code)) } ?? "\(error)"
        let underlying = failure.flatMap { POSIXErrorCode(rawValue: $0.code) }.map { POSIXError($0) }
        return ServiceError(
            .transport(URLError(code)), detail: "\(path): \(words)", underlying: underlying ?? error)
    }
}
