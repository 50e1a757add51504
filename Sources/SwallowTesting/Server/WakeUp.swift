import Foundation
import Swallow

/// Wakes a thread that waits for a socket. It is a pipe, and closing its write end is the signal.
final class WakeUp: Sendable {
    let readEnd: Int32
    private let writeEnd: Lock<Int32?>

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Socket.lastError() }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], Lock(ends[1]))
    }

    deinit {
        signal()
        _ = close(readEnd)
    }

    func signal() {
        if let end = writeEnd.withLock({ $0.take() }) { _ = close(end) }
    }

    func wait(milliseconds: Int32) {
        var entry = pollfd(descriptor: readEnd)
        _ = poll(&entry, 1, milliseconds)
    }
}
