#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Glibc

    /// The sockets of a loop's connections, used only on the loop's thread. Executed programs don't inherit them.
    final class CurlSockets {
        private let poller: CurlPoller
        private var unknown: [Int32] = []
        private var ports: [Int32: Int] = [:]
        /// Descriptors by local port. Connections to different servers may have the same local port.
        private var descriptors: [Int: [Int32]] = [:]
        /// Sockets whose last response was HTTP/1. The server sends nothing until the next request (RFC 9112 §9.2).
        private var quiet: Set<Int32> = []

        init(_ poller: CurlPoller) {
            self.poller = poller
        }

        func apply(to easy: UnsafeMutableRawPointer) {
            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = swallow_curl_set_pointer(easy, CurlOption.closeSocketData, context)
            _ = swallow_curl_set_close_callback(easy, CurlOption.closeSocketFunction) { context, descriptor in
                CurlSockets.of(context)?.close(descriptor) ?? -1
            }
        }

        struct Ends {
            let local: UnsafePointer<CChar>?
            let localPort: Int
            let peer: UnsafePointer<CChar>?
            let peerPort: Int
        }

        func socket(between ends: Ends) -> Int32? {
            for descriptor in unknown {
                guard let port = Self.address(of: descriptor, getsockname)?.port else { continue }
                ports[descriptor] = port
                if port > 0 { descriptors[port, default: []].append(descriptor) }
            }
            if !unknown.isEmpty { unknown.removeAll { ports[$0] != nil } }
            guard let candidates = descriptors[ends.localPort] else { return nil }
            if candidates.count == 1 { return candidates.first }
            return candidates.first { descriptor in
                Self.address(of: descriptor, getpeername)?.isAt(ends.peer, ends.peerPort) == true
                    && Self.address(of: descriptor, getsockname)?.isAt(ends.local, ends.localPort) == true
            }
        }

        func markQuiet(_ descriptor: Int32) {
            // If the socket was closed, a new connection may soon have the same descriptor.
            if ports[descriptor] != nil { quiet.insert(descriptor) }
        }

        func hasSentBytes(_ descriptor: Int32) -> Bool {
            guard quiet.contains(descriptor) else { return false }
            var byte: UInt8 = 0
            return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0
        }

        /// Whether the server has closed a connection from which libcurl no longer reads.
        func hasEnded(_ descriptor: Int32) -> Bool {
            var byte: UInt8 = 0
            return poller.isUnwanted(descriptor)
                && recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
        }

        private static func of(_ context: UnsafeMutableRawPointer?) -> CurlSockets? {
            context.map { Unmanaged<CurlSockets>.fromOpaque($0).takeUnretainedValue() }
        }

        func open(_ address: UnsafeMutableRawPointer) -> Int32 {
            let form = address.assumingMemoryBound(to: Int32.self)
            let descriptor = Glibc.socket(form[0], form[1] | Int32(SOCK_CLOEXEC.rawValue), form[2])
            if descriptor >= 0 { adopt(descriptor) }
            return descriptor
        }

        func adopt(_ descriptor: Int32) {
            unknown.append(descriptor)
            poller.adopt(descriptor)
        }

        func close(_ descriptor: Int32) -> Int32 {
            unknown.removeAll { $0 == descriptor }
            quiet.remove(descriptor)
            poller.remove(descriptor)
            if let port = ports.removeValue(forKey: descriptor), var others = descriptors[port] {
                others.removeAll { $0 == descriptor }
                descriptors[port] = others.isEmpty ? nil : others
            }
            return Glibc.close(descriptor)
        }

        private struct Address {
            let text: String
            let port: Int

            func isAt(_ text: UnsafePointer<CChar>?, _ port: Int) -> Bool {
                self.port == port && text.map { String(cString: $0) } == self.text
            }
        }

        private static func address(
            of descriptor: Int32,
            _ read: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
        ) -> Address? {
            var address = sockaddr_in6()
            var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            let hasAddress = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    read(descriptor, $0, &length) == 0
                }
            }
            let family = Int32(address.sin6_family)
            guard hasAddress, family == AF_INET || family == AF_INET6 else {
                return Address(text: "", port: 0)
            }
            if address.sin6_port == 0 { return nil }
            let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) {
                text in
                withUnsafeBytes(of: &address) { bytes in
                    let start = bytes.baseAddress.map { $0 + (family == AF_INET ? 4 : 8) }
                    return inet_ntop(family, start, text.baseAddress, socklen_t(text.count))
                        .map { String(cString: $0) }
                }
            }
            return Address(text: text ?? "", port: Int(UInt16(bigEndian: address.sin6_port)))
        }
    }
#endif
