import Foundation
import Swallow

/// Wakes a thread that waits for a socket. It is a pipe, and a byte in the pipe is the signal.
final class WakeUp: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Socket.lastError() }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        _ = close(writeEnd)
        _ = close(readEnd)
    }

    func signal() {
        _ = write(writeEnd, [0], 1)
    }

    /// Removes a signal, so that the next wait doesn't end at once. Blocks if there is no signal.
    func removeSignal() {
        var byte: UInt8 = 0
        _ = read(readEnd, &byte, 1)
    }
}
