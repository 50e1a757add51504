import Foundation

/// The file that receives a download's bytes, and is renamed when it is complete. If the download has the option
/// `resumes`, a second file can store its ``DownloadRecord``. Only the download that has locked the partial file
/// writes to both. The record is written while the partial file is empty. Functions that use files block.
final class PartialFile: Sendable {
    private let file: SystemFile
    private let path: String
    private let target: Target
    private let recordPath: String?

    private enum Target {
        case file(String)
        case newFile(String)
    }

    convenience init?(_ download: Request.Download) throws(ServiceError) {
        switch download.place {
        case .file(let target):
            try self.init(
                target: target, resumes: download.resumes, createsFolders: download.createsFolders)
        case .folder(let folder): try self.init(folder: folder, createsFolders: download.createsFolders)
        case .temporary: try self.init(folder: FileManager.default.temporaryDirectory, isPrivate: true)
        }
    }

    /// `nil` if the file is locked. Throws `.invalidRequest` for a bad target, or `.transport` if the system fails.
    convenience init?(target: URL, resumes: Bool, createsFolders: Bool = false) throws(ServiceError) {
        guard target.isFileURL, !target.hasDirectoryPath else {
            throw ServiceError(
                .invalidRequest, detail: "the target \(target.absoluteString) isn't a file URL")
        }
        let path = target.absoluteURL.path
        if SystemFile.isFolder(path) {
            throw ServiceError(.invalidRequest, detail: "the target \(path) is a folder")
        }
        try Self.check(path)
        try self.init(
            .file(path), base: Self.base(for: path), isNumbered: !resumes, createsFolders: createsFolders)
    }

    convenience init?(
        folder: URL, createsFolders: Bool = false, isPrivate: Bool = false
    ) throws(ServiceError) {
        guard folder.isFileURL else {
            throw ServiceError(.invalidRequest, detail: "\(folder.absoluteString) isn't a file URL")
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
        recordPath = isNumbered ? nil : base + Self.recordSuffix
        var path = base + Self.partialFileSuffix
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

    var remainder: (record: DownloadRecord, length: Int64)? {
        guard let recordPath, let size = file.size, size > 0,
            let recordFile = try? SystemFile.existing(recordPath), recordFile.isOwn,
            let recordSize = recordFile.size, recordSize <= DownloadRecord.maximumSize,
            let bytes = try? recordFile.bytes(recordSize), let record = DownloadRecord(bytes)
        else { return nil }
        return (record, Int64(size))
    }

    func begin(_ record: DownloadRecord?) throws(ServiceError) {
        do {
            let isEmpty = file.size == 0
            try file.truncate(to: 0)
            guard let recordPath else { return }
            guard let record else { return SystemFile.remove(recordPath) }
            // Otherwise, a power failure could leave the old bytes with the new record.
            if !isEmpty { try file.synchronize() }
            // Not overwritten, because the old file may have other hard links.
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

    /// Renames the file and returns its new path. In a folder, adds a number if the name is taken.
    @discardableResult
    func finish(length: Int64, name: @autoclosure () -> String = "download") throws(ServiceError) -> String {
        guard file.size.map(Int64.init) == length, file.isAt(path) else {
            throw Self.failure(.cannotMoveFile, path, SystemFile.Failure(code: ENOENT))
        }
        switch target {
        case .file(let target):
            try Self.check(target)
            do {
                try file.move(path, to: target)
            } catch {
                throw Self.failure(.cannotMoveFile, target, error)
            }
            if let recordPath { SystemFile.remove(recordPath) }
            return target
        case .newFile(let folder):
            return try move(into: folder, SuggestedFilename(name()))
        }
    }

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

    func abandon(isResumable: Bool) {
        if isResumable, recordPath != nil { return }
        if file.isAt(path) { SystemFile.remove(path) }
        if let recordPath { SystemFile.remove(recordPath) }
    }
}

extension PartialFile {
    /// A device, a socket or a link such as `/dev/stdout` must not be replaced. The system itself protects folders.
    private static func check(_ target: String) throws(ServiceError) {
        switch SystemFile.kind(of: target) {
        case nil, S_IFREG, S_IFDIR: return
        default: throw ServiceError(.invalidRequest, detail: "the target \(target) isn't a regular file")
        }
    }

    private static func locked(_ path: String) throws(SystemFile.Failure) -> SystemFile {
        for _ in 0..<100 {
            let file = try lock(SystemFile.shared(path))
            // The download that had locked the file may have renamed or removed it.
            guard file.isAt(path) else { continue }
            if !file.hasOtherNames { return file }
            SystemFile.remove(path)
        }
        throw SystemFile.Failure(code: EWOULDBLOCK)
    }

    static func lock(_ file: consuming SystemFile) throws(SystemFile.Failure) -> SystemFile {
        guard file.size != nil else { throw SystemFile.Failure(code: EEXIST) }
        // The bytes in a file of another user can't be trusted.
        guard file.isOwn else { throw SystemFile.Failure(code: EPERM) }
        guard file.lock() else { throw SystemFile.Failure(code: EWOULDBLOCK) }
        return file
    }

    static func failure(
        _ code: URLError.Code, _ path: String, _ error: any Error
    ) -> ServiceError {
        let failure = error as? SystemFile.Failure
        let underlying = failure.flatMap { POSIXErrorCode(rawValue: $0.code) }.map { POSIXError($0) }
        return ServiceError(.transport(URLError(code)), detail: path, underlying: underlying ?? error)
    }
}
