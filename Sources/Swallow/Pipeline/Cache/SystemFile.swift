import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(ucrt)
    import ucrt
#endif

/// An open regular file of a disk cache's or a download's: the one place that speaks to the file system by descriptor.
///
/// It never follows a link and never waits for a pipe, whatever lies under the name that it is opened with.
package struct SystemFile: ~Copyable, Sendable {
    /// The operating system's error number.
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

    /// Opens a file for reading and, where asked, for writing in place.
    static func existing(_ path: String, forUpdating: Bool = false) throws(Failure) -> SystemFile {
        try SystemFile(path, forUpdating ? O_RDWR : O_RDONLY)
    }

    /// Makes a file that only its owner may read or write. The name must be free.
    static func new(_ path: String) throws(Failure) -> SystemFile {
        try SystemFile(path, O_WRONLY | O_CREAT | O_EXCL)
    }

    /// Opens a file for reading and writing, which is created with the permissions of any new file if there is none.
    static func shared(_ path: String) throws(Failure) -> SystemFile {
        try SystemFile(path, O_RDWR | O_CREAT, mode: 0o666)
    }

    /// Creates a file for reading and writing, with the permissions of any new file or, if it is private, for its owner
    /// only. The name must be free.
    static func newShared(_ path: String, isPrivate: Bool) throws(Failure) -> SystemFile {
        try SystemFile(path, O_RDWR | O_CREAT | O_EXCL, mode: isPrivate ? 0o600 : 0o666)
    }

    /// The size in bytes; nil for what isn't a regular file.
    var size: Int? {
        status.flatMap { $0.st_mode & S_IFMT == S_IFREG ? Int(exactly: $0.st_size) : nil }
    }

    /// Whether the file is this process's user's.
    var isOwn: Bool { status?.st_uid == geteuid() }

    /// Whether the file has other names, too: hard links.
    var hasOtherNames: Bool { (status?.st_nlink ?? 0) > 1 }

    /// Whether the file still lies at a path, and no other has taken its place.
    func isAt(_ path: String) -> Bool {
        var other = stat()
        guard let status, lstat(path, &other) == 0 else { return false }
        return status.st_dev == other.st_dev && status.st_ino == other.st_ino
    }

    private var status: stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }

    /// Locks the file against other open files of this name until it is closed; false where one of them has
    /// it.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Does something while no other process does it with the same folder; waits for the one that does.
    ///
    /// It locks the folder itself, so that no file is left there. On a file system that can't, there is no lock.
    package static func withLock<Value>(onFolder path: String, _ body: () throws -> Value) rethrows -> Value {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { _ = close(descriptor) } }
        while descriptor >= 0, flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        return try body()
    }

    /// Makes now the time of the last use, to the nanosecond: the system's own marks may be milliseconds
    /// apart.
    func touch() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        _ = futimens(descriptor, [now, now])
    }

    /// The bytes from the file's start; nil where it is shorter.
    func prefix(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let descriptor = descriptor
        let isWhole = bytes.withUnsafeMutableBytes { try? Self.read(descriptor, into: $0) }
        return isWhole == true ? bytes : nil
    }

    /// Reads from the file's start until the buffer is full; false where the file ends before.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Bool {
        try Self.read(descriptor, into: buffer)
    }

    /// Writes bytes at an offset.
    func write(_ bytes: some ContiguousBytes, at offset: Int) throws {
        let descriptor = descriptor
        try bytes.withUnsafeBytes { try Self.write(descriptor, $0, at: offset) }
    }

    /// Cuts the file off behind so many bytes.
    func truncate(to size: Int) throws(Failure) {
        while ftruncate(descriptor, off_t(size)) != 0 { if errno != EINTR { throw Failure(code: errno) } }
    }

    /// Waits until what was written and cut off would outlive the system, too.
    func synchronize() throws(Failure) {
        while fsync(descriptor) != 0 { if errno != EINTR { throw Failure(code: errno) } }
    }

    /// Gives this file, which lies at `path`, another name, at once, in place of the file that has it.
    func rename(_ path: String, to target: String) throws(Failure) {
        #if canImport(Darwin)
            let result = Darwin.rename(path, target)
        #elseif canImport(Glibc)
            let result = Glibc.rename(path, target)
        #elseif canImport(Musl)
            let result = Musl.rename(path, target)
        #elseif canImport(Android)
            let result = Android.rename(path, target)
        #endif
        if result != 0 { throw Failure(code: errno) }
    }

    /// Gives this file, which lies at `path`, another name, which no file has.
    ///
    /// - Returns: false where the name is taken.
    func move(_ path: String, toFree target: String) throws(Failure) -> Bool {
        if link(path, target) == 0 {
            Self.remove(path)
            return true
        }
        switch errno {
        case EEXIST: return false
        // File systems without hard links; Darwin's two numbers differ.
        case EPERM, EOPNOTSUPP, ENOTSUP, EMLINK, ENOSYS: return try moveWithoutLink(path, toFree: target)
        case let code: throw Failure(code: code)
        }
    }

    /// Does the same without a hard link: an empty file reserves the name first, so that of two callers only one gets
    /// it.
    func moveWithoutLink(_ path: String, toFree target: String) throws(Failure) -> Bool {
        do {
            _ = try Self.new(target)
        } catch {
            if error.code == EEXIST { return false }
            throw error
        }
        do {
            try rename(path, to: target)
        } catch {
            Self.remove(target)
            throw error
        }
        return true
    }

    private static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Failure) -> Bool {
        var position = 0
        // Bionic's functions take no optional pointer.
        while position < buffer.count, let start = buffer.baseAddress {
            let count = pread(descriptor, start + position, buffer.count - position, off_t(position))
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
    /// Makes a folder, and those that it is in, where they are missing.
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

    /// Whether there is a folder at a path, or a link that leads to one.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// What there is at a path (`S_IFREG`, say), where a link is a link; nil for nothing.
    static func kind(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// Removes a file or a link, but not what it leads to, and no folder.
    static func remove(_ path: String) { _ = unlink(path) }

    /// The size and the time of the last use of a regular file, in bytes, seconds and nanoseconds.
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
