import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A pipe whose only message is its closing: it ends the wait of a thread that polls.
struct WakeUp: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Socket.lastError() }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Wakes the thread that polls. To be called once.
    func signal() {
        _ = close(writeEnd)
    }

    /// Gives the other end back. To be called once, by the thread that polls.
    func release() {
        _ = close(readEnd)
    }

    /// Blocks until the signal, at most for the time given.
    func wait(milliseconds: Int32) {
        var entry = pollfd(descriptor: readEnd)
        _ = poll(&entry, 1, milliseconds)
    }
}
