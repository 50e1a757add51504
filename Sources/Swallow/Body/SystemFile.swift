import Foundation

/// An open file of a disk cache or a download. Opening a path fails for a symbolic link, and doesn't block for a pipe.
package struct SystemFile: ~Copyable, Sendable {
    struct Failure: Error {
        let code: Int32
        var isAbsence: Bool { code == ENOENT }
        var isLink: Bool { code == ELOOP || code == EMLINK }
    }

    private let descriptor: Int32

    private init(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(Failure) {
        descriptor = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)
        if descriptor < 0 { throw Failure(code: errno) }
    }

    deinit { _ = close(descriptor) }

    static func existing(_ path: String, forUpdating: Bool = false) throws(Failure) -> SystemFile {
        try SystemFile(path, forUpdating ? O_RDWR : O_RDONLY)
    }

    /// Creates a file that only its owner may read or write. Fails if the path exists.
    static func new(_ path: String) throws(Failure) -> SystemFile {
        try SystemFile(path, O_WRONLY | O_CREAT | O_EXCL)
    }

    /// Opens a file for reading and writing. If there is no file, creates it with the default permissions.
    static func shared(_ path: String) throws(Failure) -> SystemFile {
        try SystemFile(path, O_RDWR | O_CREAT, mode: 0o666)
    }

    /// Creates a file for reading and writing. Fails if the path exists.
    static func newShared(_ path: String, isPrivate: Bool) throws(Failure) -> SystemFile {
        try SystemFile(path, O_RDWR | O_CREAT | O_EXCL, mode: isPrivate ? 0o600 : 0o666)
    }

    /// The size in bytes, or `nil` if this isn't a regular file.
    var size: Int? {
        status.flatMap { $0.st_mode & S_IFMT == S_IFREG ? Int(exactly: $0.st_size) : nil }
    }

    var isOwn: Bool { status?.st_uid == geteuid() }

    var hasOtherNames: Bool { (status?.st_nlink ?? 0) > 1 }

    func isAt(_ path: String) -> Bool {
        var other = stat()
        guard let status, lstat(path, &other) == 0 else { return false }
        return status.st_dev == other.st_dev && status.st_ino == other.st_ino
    }

    private var status: stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }

    /// Locks the file until it is closed, without waiting. Returns whether this succeeded.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Runs a closure with the folder's lock, after waiting for it, or without a lock if the folder can't be locked.
    package static func withLock<Value>(onFolder path: String, _ body: () throws -> Value) rethrows -> Value {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { _ = close(descriptor) } }
        while descriptor >= 0, flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        return try body()
    }

    /// Sets the file's times to now, in nanoseconds. The system itself sets times that may be milliseconds old.
    func touch() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        _ = futimens(descriptor, [now, now])
    }

    /// Returns `count` bytes, or `nil` if the file is shorter.
    func bytes(_ count: Int, at offset: Int = 0) throws(Failure) -> Data? {
        // `Data(count:)` would first fill the memory with zeros.
        guard let start = malloc(max(count, 1)) else { throw Failure(code: errno) }
        let buffer = UnsafeMutableRawBufferPointer(start: start, count: count)
        var isComplete = false
        defer { if !isComplete { free(start) } }
        isComplete = try Self.read(descriptor, into: buffer, at: offset)
        return isComplete ? Data(bytesNoCopy: start, count: count, deallocator: .free) : nil
    }

    func write(_ bytes: some ContiguousBytes, at offset: Int) throws {
        let descriptor = descriptor
        try bytes.withUnsafeBytes { try Self.write(descriptor, $0, at: offset) }
    }

    func truncate(to size: Int) throws(Failure) {
        while ftruncate(descriptor, off_t(size)) != 0 { if errno != EINTR { throw Failure(code: errno) } }
    }

    func synchronize() throws(Failure) {
        while fsync(descriptor) != 0 { if errno != EINTR { throw Failure(code: errno) } }
    }

    /// Renames this file atomically. Replaces any file that has the new name.
    func move(_ path: String, to target: String) throws(Failure) {
        if rename(path, target) != 0 { throw Failure(code: errno) }
    }

    /// Renames this file. If another file has the new name, returns false instead.
    func move(_ path: String, toFree target: String) throws(Failure) -> Bool {
        if link(path, target) == 0 {
            Self.remove(path)
            return true
        }
        switch errno {
        case EEXIST: return false
        // File systems without hard links fail with one of these errors. On Darwin, `EOPNOTSUPP` isn't `ENOTSUP`.
        case EPERM, EOPNOTSUPP, ENOTSUP, EMLINK, ENOSYS: return try moveWithoutLink(path, toFree: target)
        case let code: throw Failure(code: code)
        }
    }

    /// Renames this file. Reserves the new name with an empty file first, so that only one of two callers succeeds.
    func moveWithoutLink(_ path: String, toFree target: String) throws(Failure) -> Bool {
        do {
            _ = try Self.new(target)
        } catch {
            if error.code == EEXIST { return false }
            throw error
        }
        do {
            try move(path, to: target)
        } catch {
            Self.remove(target)
            throw error
        }
        return true
    }

    private static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(Failure) -> Bool {
        var position = 0
        // On Android, `pread` and `pwrite` don't accept optional pointers.
        while position < buffer.count, let start = buffer.baseAddress {
            let count = pread(
                descriptor, start + position, buffer.count - position, off_t(offset + position))
            if count == 0 { return false }
            if count > 0 { position += count } else if errno != EINTR { throw Failure(code: errno) }
        }
        return true
    }

    private static func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(Failure) {
        var position = 0
        while position < bytes.count, let start = bytes.baseAddress {
            let count = pwrite(
                descriptor, start + position, bytes.count - position, off_t(offset + position))
            if count >= 0 { position += count } else if errno != EINTR { throw Failure(code: errno) }
        }
    }
}

extension SystemFile {
    static func makeFolder(_ path: String) throws(Failure) {
        if isFolder(path) || mkdir(path, 0o777) == 0 { return }
        let code = errno
        if code == EEXIST, isFolder(path) { return }
        let parent = path.utf8.dropLast(path.utf8.last == UInt8(ascii: "/") ? 1 : 0)
        guard code == ENOENT, let slash = parent.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex
        else { throw Failure(code: code) }
        try makeFolder(String(path[..<slash]))
        if mkdir(path, 0o777) != 0, errno != EEXIST { throw Failure(code: errno) }
    }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the type of the file at a path, for example `S_IFREG`, without following a link.
    static func kind(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    static func remove(_ path: String) { _ = unlink(path) }

    /// Returns a regular file's size in bytes, and its modification time in seconds and nanoseconds.
    static func status(_ path: String) -> (size: Int, used: (Int, Int))? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let size = Int(exactly: status.st_size)
        else { return nil }
        #if canImport(Darwin)
            let used = status.st_mtimespec
        #else
            let used = status.st_mtim
        #endif
        return (size, (Int(used.tv_sec), Int(used.tv_nsec)))
    }
}
