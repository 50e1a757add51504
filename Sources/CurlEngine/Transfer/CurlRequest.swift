#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import Glibc

    /// A request in libcurl's form. It is checked and created before the loop's thread receives it.
    package struct CurlRequest: Sendable {
        private enum Form: Sendable { case get, head, post }

        struct Signs: Sendable {
            var hasType = false
            var acceptsCodings = false
            var hasCookies = false
            var closesConnection = false
            var requestsUpgrade = false
        }

        let largeBody: Data?
        let streamedBody: (any EngineBodySource)?
        let bodyLength: Int64?
        let isIdempotent: Bool
        let idleTimeout: UInt64
        let handlesCookies: Bool
        let signs: Signs
        private let form: Form
        private let hasMethodOfItsOwn: Bool
        let isSecure: Bool
        let origin: String
        private let smallBody: Data?
        private let strings: CurlStrings
        private let fieldsStart = 2

        private static let smallBodyLimit = 64 * 1024

        /// If there is a `source`, `body` isn't sent. `idleTimeout` is in seconds, and 0 or less means no timeout.
        package init(
            url: String, method: String = "GET", fields: [String: String] = [:], body: Data? = nil,
            source: (any EngineBodySource)? = nil, idleTimeout: TimeInterval = 60, handlesCookies: Bool = true
        ) throws(EngineFailure) {
            guard let isSecure = Self.isSecure(url) else { throw .transport(.unsupportedURL) }
            guard HTTPText.isToken(method) else {
                throw .invalidRequest("\(method.debugDescription) is not an HTTP method")
            }
            let body = source == nil ? body ?? Data() : Data()
            form =
                switch method {
                case "POST", "PUT", "PATCH": .post
                case _ where !body.isEmpty || source != nil: .post
                case "HEAD": .head
                default: .get
                }
            var builder = CurlStrings.Builder()
            builder.append(url)
            builder.append(method)
            // As with URLSession, posted `Data` without a type is a form.
            let isForm = method == "POST" && !body.isEmpty
            signs = try Self.append(fields, to: &builder, hasLength: form == .post, isForm: isForm)
            if source?.isTunnel == true { builder.append("Transfer-Encoding:") }
            guard let strings = CurlStrings(builder) else { throw .transport(.unknown) }
            self.strings = strings
            self.isSecure = isSecure
            origin = Self.origin(of: url, isSecure: isSecure)
            isIdempotent = Self.isIdempotent(method)
            hasMethodOfItsOwn =
                switch form {
                case .get: method != "GET"
                case .head: false
                case .post: method != "POST"
                }
            streamedBody = source
            bodyLength = if let source { source.length } else { Int64(body.count) }
            smallBody = !body.isEmpty && body.count <= Self.smallBodyLimit ? body : nil
            largeBody = body.count > Self.smallBodyLimit ? body : nil
            self.idleTimeout = CurlClock.nanoseconds(timeout: idleTimeout)
            self.handlesCookies = handlesCookies
        }

        var isHead: Bool { form == .head }

        var isTunnel: Bool { streamedBody?.isTunnel == true }

        func apply(to easy: UnsafeMutableRawPointer, options: CurlOptions) {
            _ = swallow_curl_set_pointer(easy, CurlOption.url, strings[0])
            _ = swallow_curl_set_pointer(easy, CurlOption.httpHeader, strings.list(from: fieldsStart))
            _ = swallow_curl_set_long(
                easy, CurlOption.httpVersion, options.httpVersion(isSecure: isSecure))
            if isSecure, options.waitsForMultiplexing {
                _ = swallow_curl_set_long(easy, CurlOption.pipeWait, 1)
            }
            if options.needsOwnConnections, !isSecure {
                _ = swallow_curl_set_long(easy, CurlOption.freshConnect, 1)
                _ = swallow_curl_set_long(easy, CurlOption.forbidReuse, 1)
            }
            if !isIdempotent, !CurlLibrary.knowsSendings {
                _ = swallow_curl_set_long(easy, CurlOption.freshConnect, 1)
            }
            if signs.closesConnection { _ = swallow_curl_set_long(easy, CurlOption.forbidReuse, 1) }
            if isTunnel { applyTunnel(to: easy) }
            switch form {
            case .get: break
            case .head: _ = swallow_curl_set_long(easy, CurlOption.noBody, 1)
            case .post: applyBody(to: easy)
            }
            if hasMethodOfItsOwn { _ = swallow_curl_set_pointer(easy, CurlOption.customRequest, strings[1]) }
        }

        /// Sends an upgrade request over HTTP/1.1, on its own connection. An HTTP proxy receives a CONNECT.
        private func applyTunnel(to easy: UnsafeMutableRawPointer) {
            _ = swallow_curl_set_long(easy, CurlOption.httpVersion, 2)
            _ = swallow_curl_set_long(easy, CurlOption.pipeWait, 0)
            _ = swallow_curl_set_long(easy, CurlOption.freshConnect, 1)
            _ = swallow_curl_set_long(easy, CurlOption.forbidReuse, 1)
            _ = swallow_curl_set_long(easy, CurlOption.httpProxyTunnel, 1)
        }

        private func applyBody(to easy: UnsafeMutableRawPointer) {
            _ = swallow_curl_set_long(easy, CurlOption.post, 1)
            // Trailers require a body without a length, which is sent in chunks (RFC 9112 §7.1) or DATA frames.
            let length = streamedBody?.hasTrailers == true ? -1 : bodyLength ?? -1
            _ = swallow_curl_set_offset(easy, CurlOption.postFieldSize, length)
            guard largeBody == nil, streamedBody == nil else { return }
            // For an empty body, any byte will do. Without a pointer, libcurl would call the read callback.
            (smallBody ?? Data([0])).withUnsafeBytes { bytes in
                _ = swallow_curl_set_pointer(easy, CurlOption.copyPostFields, bytes.baseAddress)
            }
        }

        private static func isIdempotent(_ method: String) -> Bool {
            switch method {
            case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
            default: false
            }
        }

        private static func origin(of url: String, isSecure: Bool) -> String {
            let start = url.utf8.index(url.startIndex, offsetBy: isSecure ? 8 : 7)
            let end = url.utf8[start...].firstIndex {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
            }
            return String(url[..<(end ?? url.endIndex)])
        }

        private static func isSecure(_ url: String) -> Bool? {
            let start = url.utf8.prefix(8).lazy.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            if start.starts(with: "http://".utf8) { return false }
            return start.starts(with: "https://".utf8) ? true : nil
        }
    }

    extension CurlRequest {
        private static func append(
            _ fields: [String: String], to builder: inout CurlStrings.Builder, hasLength: Bool,
            isForm: Bool
        ) throws(EngineFailure) -> Signs {
            var signs = Signs()
            for (name, value) in fields {
                guard HTTPText.isToken(name), HTTPText.isFieldValue(value) else {
                    throw .invalidRequest("the header field \(name.debugDescription) can't be sent")
                }
                switch name.lowercased() {
                // libcurl decides how to send the body.
                case "content-length", "transfer-encoding", "expect": continue
                case "content-type": signs.hasType = true
                case "accept-encoding": signs.acceptsCodings = true
                case "cookie": signs.hasCookies = true
                case "connection":
                    signs.closesConnection = value.split(whereSeparator: { $0 == "," || $0 == " " })
                        .contains { $0.lowercased() == "close" }
                case "upgrade": signs.requestsUpgrade = true
                default: break
                }
                // libcurl sends a field without a value only if a semicolon replaces the colon.
                if value.allSatisfy({ $0 == " " || $0 == "\t" }) {
                    builder.append(name, ";")
                } else {
                    builder.append(name, ": ", value)
                }
            }
            if !signs.acceptsCodings, let codings = CurlContentDecoder.accepted {
                builder.append("Accept-Encoding: ", codings)
            }
            guard hasLength else { return signs }
            // Waiting for a 100 response would cost up to a second.
            builder.append("Expect:")
            if !signs.hasType, !isForm { builder.append("Content-Type:") }
            return signs
        }
    }

    // Unchecked: the memory is private, and isn't written to after `init`.
    final class CurlStrings: @unchecked Sendable {
        struct Builder {
            fileprivate var bytes: [UInt8] = []
            fileprivate var starts: [Int] = []

            init() {
                bytes.reserveCapacity(512)
                starts.reserveCapacity(12)
            }

            mutating func append(_ parts: String...) {
                starts.append(bytes.count)
                for part in parts { bytes.append(contentsOf: part.utf8) }
                bytes.append(0)
            }
        }

        private let nodes: UnsafeMutablePointer<swallow_curl_list>
        private let count: Int

        init?(_ builder: Builder) {
            count = builder.starts.count
            let offset = count * MemoryLayout<swallow_curl_list>.stride
            guard let memory = malloc(offset + builder.bytes.count + 1) else { return nil }
            nodes = memory.bindMemory(to: swallow_curl_list.self, capacity: count)
            let text = (memory + offset).bindMemory(to: CChar.self, capacity: builder.bytes.count)
            builder.bytes.withUnsafeBytes { bytes in
                if let source = bytes.baseAddress { memcpy(text, source, bytes.count) }
            }
            for (index, start) in builder.starts.enumerated() {
                let next = index + 1 < count ? nodes + (index + 1) : nil
                (nodes + index).initialize(to: swallow_curl_list(data: text + start, next: next))
            }
        }

        deinit {
            free(nodes)
        }

        subscript(index: Int) -> UnsafePointer<CChar>? {
            index < count ? UnsafePointer(nodes[index].data) : nil
        }

        func list(from index: Int) -> UnsafeMutablePointer<swallow_curl_list>? {
            index < count ? nodes + index : nil
        }
    }
#endif
