#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking
    import Glibc
    import Swallow
    import TestSupport
    import Testing

    /// A server that sends exactly the bytes that a test passes, on its own threads.
    final class RawServer: Sendable {
        let port: UInt16
        /// The heads of all requests, on any connection.
        let heads = Recorder<String>()
        private let connections = RawConnections()

        /// - Parameter serve: Handles a connection. The connection is closed when the closure returns.
        init(_ serve: @escaping @Sendable (RawConnection) -> Void) throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, length) == 0 && listen(listener, 128) == 0
                        && getsockname(listener, $0, &length) == 0
                }
            }
            try #require(isListening)
            port = UInt16(bigEndian: address.sin_port)
            connections.add(listener)
            Thread { [connections, heads] in
                while true {
                    let descriptor = accept(listener, nil, nil)
                    if descriptor < 0, errno == EINTR || errno == ECONNABORTED { continue }
                    guard descriptor >= 0 else { break }
                    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                    let number = connections.add(descriptor)
                    Thread {
                        serve(RawConnection(descriptor: descriptor, number: number, heads: heads))
                        connections.remove(descriptor)
                    }.start()
                }
                connections.remove(listener)
            }.start()
        }

        /// Creates a server that sends the same bytes in response to the first request of each connection. Then it
        /// closes the connection.
        convenience init(_ response: String) throws {
            try self.init { connection in
                if connection.receiveHead() != nil { connection.send(response) }
            }
        }

        deinit {
            connections.shutDown()
        }

        var connectionCount: Int { connections.count }

        func request(_ path: String = "/", host: String = "127.0.0.1") throws -> URLRequest {
            var request = URLRequest(url: try #require(URL(string: "http://\(host):\(port)\(path)")))
            // On a busy machine, a test may wait for longer than the default of a minute.
            request.timeoutInterval = 1_000_000
            return request
        }

        func get(
            _ source: any SessionDataTaskDataSource, _ path: String = "/", host: String = "127.0.0.1"
        ) async throws -> Call.Outcome {
            await send(try request(path, host: host), source)
        }

        func send(_ request: URLRequest, _ source: any SessionDataTaskDataSource) async -> Call.Outcome {
            let call = Call(request, source)
            call.task.resume()
            return await call.outcome
        }
    }

    /// A connection of a ``RawServer``. Only its thread uses it.
    final class RawConnection {
        /// The number of the connection, starting at 1.
        let number: Int
        let descriptor: Int32
        private let heads: Recorder<String>
        private var buffer: [UInt8] = []

        init(descriptor: Int32, number: Int, heads: Recorder<String>) {
            self.descriptor = descriptor
            self.number = number
            self.heads = heads
        }

        /// Waits for the head of a request. Returns `nil` if the connection has closed.
        func receiveHead() -> String? {
            let end = Array("\r\n\r\n".utf8)
            while true {
                if let range = buffer.firstRange(of: end) {
                    let head = String(decoding: buffer[..<range.upperBound], as: UTF8.self)
                    buffer.removeSubrange(..<range.upperBound)
                    heads.append(head)
                    return head
                }
                guard receiveMore() else { return nil }
            }
        }

        /// Waits for a number of bytes of a body. Returns `nil` if the connection has closed.
        func receive(_ count: Int) -> Data? {
            while buffer.count < count {
                guard receiveMore() else { return nil }
            }
            defer { buffer.removeFirst(count) }
            return Data(buffer[..<count])
        }

        private func receiveMore() -> Bool {
            var bytes = [UInt8](repeating: 0, count: 16_384)
            while true {
                let count = recv(descriptor, &bytes, bytes.count, 0)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                buffer += bytes[..<count]
                return true
            }
        }

        @discardableResult
        func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        /// Sends bytes. Returns whether the connection accepted them.
        @discardableResult
        func send(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// Sends zeros up to a limit, until none can be sent for half a second. Returns the number of bytes
        /// sent.
        func sendUntilStuck(_ limit: Int) -> Int {
            setTimeToSend(microseconds: 500_000)
            defer { setTimeToSend(microseconds: 0) }
            let bytes = [UInt8](repeating: 0, count: 64 * 1024)
            var sent = 0
            while sent < limit {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, min($0.count, limit - sent), Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { break }
                sent += count
            }
            return sent
        }

        /// - Parameter microseconds: The time that a send waits for the client, or 0 to wait without a limit.
        private func setTimeToSend(microseconds: Int) {
            var limit = timeval(tv_sec: 0, tv_usec: microseconds)
            setsockopt(
                descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }

        /// Waits until the client closes the connection.
        func waitForEnd() {
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) > 0 {}
        }
    }

    /// The sockets of a server. Only the threads that use them close them.
    private final class RawConnections: Sendable {
        private let state = Lock((open: Set<Int32>(), count: -1, isOver: false))

        var count: Int { state.withLock { $0.count } }

        /// Returns the number of sockets that were added before.
        @discardableResult
        func add(_ descriptor: Int32) -> Int {
            state.withLock { state in
                state.open.insert(descriptor)
                state.count += 1
                if state.isOver { shutdown(descriptor, Int32(SHUT_RDWR)) }
                return state.count
            }
        }

        func remove(_ descriptor: Int32) {
            state.withLock { state in
                state.open.remove(descriptor)
                close(descriptor)
            }
        }

        func shutDown() {
            state.withLock { state in
                state.isOver = true
                for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
            }
        }
    }
#endif
