#if os(Linux) && canImport(Glibc)
    import Foundation
    import Glibc
    import Swallow
    import Testing

    /// Forwards bytes between clients and a TLS 1.2 server. It can drop alerts, as a faulty server or an
    /// attacker who closes the connection does. In TLS 1.2, the relay can recognize alerts.
    final class TLSRelay: Sendable {
        private let listener: Int32
        let port: UInt16
        /// The port of the server behind the relay.
        private let server: Lock<UInt16>

        init(to server: UInt16, dropsAlerts: Bool) throws {
            let (listener, port) = try #require(Self.listen())
            self.listener = listener
            self.port = port
            let current = Lock(server)
            self.server = current
            Thread.detachNewThread {
                while true {
                    let client = accept(listener, nil, nil)
                    guard client >= 0 else { break }
                    guard let upstream = Self.connect(to: current.withLock { $0 }) else {
                        close(client)
                        continue
                    }
                    let clientIsDone = DispatchSemaphore(value: 0)
                    Thread.detachNewThread {
                        Self.pass(from: client, to: upstream) { _ in true }
                        clientIsDone.signal()
                    }
                    Thread.detachNewThread {
                        Self.pass(from: upstream, to: client) { !dropsAlerts || $0 != 21 }
                        shutdown(client, Int32(SHUT_RDWR))
                        clientIsDone.wait()
                        for descriptor in [client, upstream] { close(descriptor) }
                    }
                }
                close(listener)
            }
        }

        /// Forwards later connections to another server.
        func lead(to server: UInt16) { self.server.withLock { $0 = server } }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
        }

        /// Forwards the records of some types until the sender closes. Then it closes the receiver's side.
        private static func pass(from source: Int32, to target: Int32, _ isWanted: (UInt8) -> Bool) {
            while let header = read(5, from: source),
                let body = read(Int(header[3]) << 8 + Int(header[4]), from: source)
            {
                guard isWanted(header[0]) else { continue }
                let record = header + body
                if Glibc.send(target, record, record.count, Int32(MSG_NOSIGNAL)) < 0 { break }
            }
            shutdown(target, Int32(SHUT_WR))
        }

        private static func read(_ count: Int, from descriptor: Int32) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            let received = recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
            return received == count ? bytes : nil
        }

        private static func address(_ port: UInt16) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return address
        }

        private static func listen() -> (Int32, UInt16)? {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = address(0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, length) == 0 && Glibc.listen(listener, 8) == 0
                        && getsockname(listener, $0, &length) == 0
                }
            }
            return isListening ? (listener, UInt16(bigEndian: address.sin_port)) : nil
        }

        private static func connect(to port: UInt16) -> Int32? {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = address(port)
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, length) == 0
                }
            }
            return isConnected ? descriptor : nil
        }
    }
#endif
