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

/// A TCP socket on 127.0.0.1, which doesn't own its descriptor. The socket's owner closes it with `release()`.
struct Socket: Hashable, Sendable {
    private let descriptor: Int32

    #if canImport(Darwin)
        private static let stream = SOCK_STREAM
        private static let sendFlags: Int32 = 0
    #elseif canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #elseif canImport(Musl)
        private static let stream = Musl.SOCK_STREAM
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #elseif canImport(Android)
        private static let stream = Android.SOCK_STREAM
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    /// Opens a socket that is bound to an ephemeral port. Unless it listens, the port refuses connections.
    static func bound(listens: Bool) throws -> (socket: Socket, port: UInt16) {
        let opened = Socket(descriptor: socket(AF_INET, stream, 0))
        guard opened.descriptor >= 0 else { throw lastError() }
        do {
            _ = fcntl(opened.descriptor, F_SETFD, FD_CLOEXEC)
            let port = try opened.bindToAnyPort()
            if listens {
                _ = fcntl(opened.descriptor, F_SETFL, O_NONBLOCK)
                guard listen(opened.descriptor, 1024) == 0 else { throw lastError() }
            }
            return (opened, port)
        } catch {
            opened.release()
            throw error
        }
    }

    private func bindToAnyPort() throws -> UInt16 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else { throw Self.lastError() }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Returns a blocking socket without Nagle's delay, or `nil` if no connection can be accepted.
    func acceptConnection() -> Socket? {
        let connection = Socket(descriptor: accept(descriptor, nil, nil))
        guard connection.descriptor >= 0 else { return nil }
        _ = fcntl(connection.descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(connection.descriptor, F_SETFL, 0)
        connection.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        #if canImport(Darwin)
            connection.setOption(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
        #endif
        return connection
    }

    func sendAll(_ bytes: some ContiguousBytes) throws(ConnectionFailure) {
        let isSent = bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                // The functions of Android's Bionic accept no optional pointer.
                guard let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress else { break }
                let sent = send(descriptor, start, rest.count, Self.sendFlags)
                if sent < 0, errno == EINTR { continue }
                if sent <= 0 { return false }
                rest = rest.dropFirst(sent)
            }
            return true
        }
        if !isSent { throw .disconnected }
    }

    func receive() throws(ConnectionFailure) -> [UInt8] {
        let bytes = [UInt8](unsafeUninitializedCapacity: 64 * 1024) { bytes, count in
            guard let start = bytes.baseAddress else { return }
            var received = 0
            repeat { received = recv(descriptor, start, bytes.count, 0) } while received < 0 && errno == EINTR
            count = max(0, received)
        }
        guard !bytes.isEmpty else { throw .disconnected }
        return bytes
    }

    /// Blocks until the client has left or the server has stopped, even if bytes arrive.
    func waitUntilClosed() {
        #if canImport(Darwin)
            let events: Int16 = 0
        #else
            let events: Int16 = 0x2000  // POLLRDHUP
        #endif
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        while poll(&entry, 1, -1) < 0, errno == EINTR {}
    }

    /// Blocks until the socket is readable, or until a deadline. Returns whether the socket is readable.
    func waitUntilReadable(until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let milliseconds = (ContinuousClock.now.duration(to: deadline) / .milliseconds(1)).rounded(.up)
            var entry = pollfd(descriptor: descriptor)
            let count = poll(&entry, 1, Int32(min(max(milliseconds, 0), 60_000)))
            if count > 0 || count < 0 && errno != EINTR { return true }
            if deadline <= .now { return false }
        }
    }

    /// Blocks until the socket is readable or `wakeUp` is signaled. Returns whether `wakeUp` was signaled.
    func waitUntilReadable(or wakeUp: WakeUp) -> Bool {
        var entries = [pollfd(descriptor: descriptor), pollfd(descriptor: wakeUp.readEnd)]
        while poll(&entries, 2, -1) < 0, errno == EINTR {}
        return entries[1].revents != 0
    }

    /// Shuts down both directions, so that blocked calls on this socket return.
    func shutDown() {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }

    func shutDownSending() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes `release()` send RST instead of FIN.
    func resetOnRelease() {
        setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    func release() {
        _ = close(descriptor)
    }

    private func setOption<Value: BitwiseCopyable>(_ level: Int32, _ name: Int32, _ value: Value) {
        var value = value
        _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Value>.size))
    }

    static func lastError() -> any Error {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
}

extension pollfd {
    init(descriptor: Int32) {
        self.init(fd: descriptor, events: Int16(POLLIN), revents: 0)
    }
}

enum ConnectionFailure: Error {
    /// The connection can't be used any longer, for example because the client has left.
    case disconnected
    /// The server rejects the request with this status, and closes the connection.
    case rejected(status: Int)
}

/// A port of 127.0.0.1 that refuses every connection. While this object exists, no other process can use the port.
package final class UnusedPort: Sendable {
    package let port: UInt16
    private let socket: Socket

    package init() throws {
        (socket, port) = try Socket.bound(listens: false)
    }

    deinit {
        socket.release()
    }
}
