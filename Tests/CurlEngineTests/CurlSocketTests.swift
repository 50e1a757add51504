#if os(Linux) && canImport(Glibc)
    import Foundation
    import Glibc
    import LoopbackServer
    import Testing

    @testable import CurlEngine

    @Suite("The sockets of a loop's connections", .enabled(if: CurlLibrary.isAvailable))
    struct CurlSocketTests {
        @Test("Connections from the same local port to two servers are distinguished")
        func samePort() throws {
            let inbox = try #require(CurlInbox(EngineConfiguration(), DetachedThread.start))
            defer { inbox.shutDown() }
            let sockets = CurlSockets(CurlPoller(inbox.multi.handle))
            let servers = try (0..<2).map { _ in try LoopbackServer() }
            var (localPort, opened): (UInt16, [(descriptor: Int32, peerPort: Int)]) = (0, [])
            for server in servers {
                let peerPort = try #require(URL(string: server.baseURLString)?.port)
                let descriptor = try connect(from: &localPort, to: UInt16(peerPort))
                sockets.adopt(descriptor)
                opened.append((descriptor, peerPort))
            }
            func found(_ peerPort: Int) -> Int32? {
                "127.0.0.1".withCString { address in
                    sockets.socket(
                        between: .init(
                            local: address, localPort: Int(localPort), peer: address, peerPort: peerPort))
                }
            }
            for (descriptor, peerPort) in opened { #expect(found(peerPort) == descriptor) }
            #expect(found(1) == nil)
            #expect(sockets.close(opened[0].descriptor) == 0)
            #expect(found(opened[1].peerPort) == opened[1].descriptor)
            #expect(sockets.close(opened[1].descriptor) == 0)
            #expect(found(opened[1].peerPort) == nil)
        }

        /// Opens a connection from a local port. If the port is 0, the system chooses one.
        private func connect(from localPort: inout UInt16, to peerPort: UInt16) throws -> Int32 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var isWanted: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isWanted, 4)
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            func call(_ port: UInt16, _ function: (UnsafePointer<sockaddr>) -> Int32) throws {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port.bigEndian
                address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                let result = withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { function($0) }
                }
                try #require(result == 0)
            }
            try call(localPort) { bind(descriptor, $0, size) }
            try call(peerPort) { Glibc.connect(descriptor, $0, size) }
            var (address, length) = (sockaddr_in(), size)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = getsockname(descriptor, $0, &length)
                }
            }
            localPort = UInt16(bigEndian: address.sin_port)
            return descriptor
        }
    }
#endif
