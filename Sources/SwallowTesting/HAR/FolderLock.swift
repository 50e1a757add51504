import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Keeps other processes from writing into a folder meanwhile; waits for the one that does.
///
/// It locks the folder itself, so that no file is left there. On a file system that can't, there is no lock.
struct FolderLock {
    private let descriptor: Int32

    init(_ folder: URL) {
        descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        while descriptor >= 0, flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    }

    func unlock() {
        if descriptor >= 0 { _ = close(descriptor) }
    }
}
