import Foundation

/// The file beside a download's target that takes the bytes, and becomes the target once it is whole.
///
/// A download that resumes has a part that the next one finds by its name, and a record of what its bytes belong to. Only
/// the holder of the part's lock writes them. A record is written while the part is empty, before the first byte, so a
/// killed process never leaves bytes with the record of others.
///
/// Its functions block until the file system is done.
final class PartFile: Sendable {
    private let file: SystemFile
    private let path: String
    private let target: Target
    /// Nil for a part that no later download continues.
    private let recordPath: String?

    /// What the part becomes.
    private enum Target {
        /// The file at a path, in place of what is there.
        case file(String)
        /// A new file in the folder at a path, which ends with a slash.
        case newFile(String)
    }

    /// Opens the part of a download; nil where another download has it.
    convenience init?(_ download: Request.Download) throws(ServiceError) {
        switch download.place {
        case .file(let target):
            try self.init(
                target: target, resumes: download.resumes, createsFolders: download.createsFolders)
        case .folder(let folder): try self.init(folder: folder, createsFolders: download.createsFolders)
        case .temporary: try self.init(folder: FileManager.default.temporaryDirectory, isPrivate: true)
        }
    }

    /// Opens the part of a download, and locks it; nil where another download has it.
    ///
    /// - Throws: `.invalidRequest` where the target can't be one; `.transport` where the file system doesn't allow it.
    convenience init?(target: URL, resumes: Bool, createsFolders: Bool = false) throws(ServiceError) {
        guard target.isFileURL, !target.hasDirectoryPath else {
            throw ServiceError(
                .invalidRequest, detail: "the target \(target.absoluteString) is no file's URL")
        }
        let path = target.absoluteURL.path
        if SystemFile.isFolder(path) {
            throw ServiceError(.invalidRequest, detail: "the target \(path) is a folder")
        }
        try Self.check(path)
        try self.init(
            .file(path), base: Self.base(for: path), isNumbered: !resumes, createsFolders: createsFolders)
    }

    /// Opens a part in a folder, for a file that is named once it is whole; nil where another download holds a part of that
    /// name.
    ///
    /// - Parameter isPrivate: whether only its owner may read the file.
    convenience init?(
        folder: URL, createsFolders: Bool = false, isPrivate: Bool = false
    ) throws(ServiceError) {
        guard folder.isFileURL else {
            throw ServiceError(.invalidRequest, detail: "\(folder.absoluteString) is no folder's URL")
        }
        let path = folder.absoluteURL.path
        let start = path.hasSuffix("/") ? path : path + "/"
        try self.init(
            .newFile(start), base: start + "download", isNumbered: true, createsFolders: createsFolders,
            isPrivate: isPrivate)
    }

    private init?(
        _ target: Target, base: String, isNumbered: Bool, createsFolders: Bool, isPrivate: Bool = false
    ) throws(ServiceError) {
        self.target = target
        recordPath = isNumbered ? nil : base + Self.recordEnding
        var path = base + Self.partEnding
        do {
            if createsFolders { try SystemFile.makeFolder(Self.folder(of: base)) }
            file =
                if isNumbered { try Self.lockedNumber(&path, isPrivate: isPrivate) } else {
                    try Self.locked(path)
                }
        } catch {
            if error.code == EWOULDBLOCK { return nil }
            throw Self.failure(.cannotCreateFile, path, error)
        }
        self.path = path
    }

    /// The record and length of an earlier download's bytes, where they can be continued.
    var remainder: (record: DownloadRecord, length: Int64)? {
        guard let recordPath, let size = file.size, size > 0,
            let recordFile = try? SystemFile.existing(recordPath), recordFile.isOwn,
            let recordSize = recordFile.size, recordSize <= DownloadRecord.maximumSize,
            let bytes = recordFile.prefix(recordSize), let record = DownloadRecord(Data(bytes))
        else { return nil }
        return (record, Int64(size))
    }

    /// Empties the part, and replaces its record.
    func begin(_ record: DownloadRecord?) throws(ServiceError) {
        do {
            let isEmpty = file.size == 0
            try file.truncate(to: 0)
            guard let recordPath else { return }
            guard let record else { return SystemFile.remove(recordPath) }
            // Otherwise a power failure could leave the old bytes with the new record.
            if !isEmpty { try file.synchronize() }
            // Removed first: writing into a file with further hard links would change those, too.
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

    /// Makes the part the target.
    ///
    /// - Parameters:
    ///   - length: how many bytes the part must have.
    ///   - name: the name of a new file in a folder; it gets a number if a file has that name.
    /// - Returns: the file's path.
    /// - Throws: `.invalidRequest` where the target has become a link or a device, say; else `.transport`.
    @discardableResult
    func finish(length: Int64, name: @autoclosure () -> String = "download") throws(ServiceError) -> String {
        guard file.size.map(Int64.init) == length, file.isAt(path) else {
            throw Self.failure(.cannotMoveFile, path, SystemFile.Failure(code: ENOENT))
        }
        switch target {
        case .file(let target):
            try Self.check(target)
            do {
                try file.rename(path, to: target)
            } catch {
                throw Self.failure(.cannotMoveFile, target, error)
            }
            if let recordPath { SystemFile.remove(recordPath) }
            return target
        case .newFile(let folder):
            return try move(into: folder, SuggestedFilename(name()))
        }
    }

    /// Renames the part to a name that is free in the folder; never replaces a file.
    private func move(into folder: String, _ name: SuggestedFilename) throws(ServiceError) -> String {
        for attempt in 1...110 {
            let target = folder + name.numbered(attempt <= 100 ? "\(attempt)" : Self.number())
            do {
                if try file.move(path, toFree: target) { return target }
            } catch {
                throw Self.failure(.cannotMoveFile, target, error)
            }
        }
        throw Self.failure(.cannotMoveFile, folder, SystemFile.Failure(code: EEXIST))
    }

    /// Removes the part, unless it can be continued.
    ///
    /// - Parameter isWorthKeeping: whether it has bytes, and a record that says what they belong to.
    func abandon(isWorthKeeping: Bool) {
        if isWorthKeeping, recordPath != nil { return }
        if file.isAt(path) { SystemFile.remove(path) }
        if let recordPath { SystemFile.remove(recordPath) }
    }
}

extension PartFile {
    /// Only a regular file may be replaced: no device, no socket, and no link, such as `/dev/stdout`. The file system itself
    /// refuses to replace a folder.
    private static func check(_ target: String) throws(ServiceError) {
        switch SystemFile.kind(of: target) {
        case nil, S_IFREG, S_IFDIR: return
        default: throw ServiceError(.invalidRequest, detail: "the target \(target) is no regular file")
        }
    }

    /// Opens and locks the file at a path.
    private static func locked(_ path: String) throws(SystemFile.Failure) -> SystemFile {
        for _ in 0..<100 {
            let file = try lock(SystemFile.shared(path))
            // The lock's former holder may have renamed or removed the file.
            guard file.isAt(path) else { continue }
            if !file.hasOtherNames { return file }
            // Writing to a file with further hard links would change those, too.
            SystemFile.remove(path)
        }
        throw SystemFile.Failure(code: EWOULDBLOCK)
    }

    static func lock(_ file: consuming SystemFile) throws(SystemFile.Failure) -> SystemFile {
        guard file.size != nil else { throw SystemFile.Failure(code: EEXIST) }
        // A file of another user may hold anything.
        guard file.isOwn else { throw SystemFile.Failure(code: EPERM) }
        guard file.lock() else { throw SystemFile.Failure(code: EWOULDBLOCK) }
        return file
    }

    static func failure(
        _ code: URLError.Code, _ path: String, _ error: any Error
    ) -> ServiceError {
        let failure = error as? SystemFile.Failure
        // A POSIXError describes itself in the system's words.
        let underlying = failure.flatMap { POSIXErrorCode(rawValue: $0.code) }.map { POSIXError($0) }
        return ServiceError(.transport(URLError(code)), detail: path, underlying: underlying ?? error)
    }
}
