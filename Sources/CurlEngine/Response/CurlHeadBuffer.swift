#if os(Linux) && canImport(Glibc)
    /// Collects the lines of a response's head. The final head replaces informational ones (RFC 9110 §15.2).
    struct CurlHeadBuffer {
        struct Limits: Sendable {
            var size: Int
            var fields: Int
        }

        /// The lines of the latest head, each with its line break.
        private(set) var bytes: [UInt8] = []
        private(set) var isComplete = false
        private(set) var cookies = 0
        private let limits: Limits
        private var received = 0
        private var fields = 0
        private(set) var framing = CurlFraming()
        private var trailerFraming = CurlFraming()
        /// The lines that followed the body, each with its line break.
        private(set) var trailers: [UInt8] = []

        init(_ limits: Limits) {
            self.limits = limits
        }

        /// Returns the problem if the head isn't valid. Pass `mayUpgrade` if the request asked for another protocol.
        mutating func append(_ line: UnsafeRawBufferPointer, mayUpgrade: Bool) -> String? {
            received += line.count
            guard received <= limits.size else {
                return "its head has more than \(limits.size) bytes (maximumHeadSize)"
            }
            let isEnd = line.first == 0x0D || line.first == 0x0A
            if isComplete { return isEnd ? nil : appendTrailer(line) }
            let problem = check(line, isEnd: isEnd)
            bytes.append(contentsOf: line)
            guard problem == nil, isEnd else { return problem }
            switch status {
            case 101:
                return mayUpgrade
                    ? complete() : "it changes the protocol, but the request didn't ask for that"
            case 100..<200:
                bytes.removeAll(keepingCapacity: true)
                return nil
            default: return complete()
            }
        }

        private mutating func check(_ line: UnsafeRawBufferPointer, isEnd: Bool) -> String? {
            if bytes.isEmpty {
                bytes.reserveCapacity(512)
                fields = 0
                return framing.checkStatus(line)
            }
            if isEnd { return framing.checkEnd() }
            fields += 1
            if fields > limits.fields {
                return "its head has more than \(limits.fields) fields (maximumFieldCount)"
            }
            if line.first == UInt8(ascii: "S") || line.first == UInt8(ascii: "s"), Self.setsCookie(line) {
                cookies += 1
            }
            return CurlFraming.problem(of: line) ?? framing.check(line)
        }

        private static func setsCookie(_ line: UnsafeRawBufferPointer) -> Bool {
            let name = "set-cookie:".utf8
            return line.count > name.count && zip(line, name).allSatisfy { $0 | 0x20 == $1 }
        }

        /// Adds a trailer field. Framing fields have no effect here, and invalid fields are dropped later.
        private mutating func appendTrailer(_ line: UnsafeRawBufferPointer) -> String? {
            fields += 1
            if fields > limits.fields {
                return "its head and trailers have more than \(limits.fields) fields (maximumFieldCount)"
            }
            trailers.append(contentsOf: line)
            return trailerFraming.check(line)
        }

        private mutating func complete() -> String? {
            isComplete = true
            return nil
        }

        var isHTTP1: Bool { bytes.starts(with: "HTTP/1".utf8) }

        /// The status code, which is the three digits after the first space.
        var status: Int {
            bytes.drop { $0 != 0x20 }.dropFirst().prefix(3).reduce(0) { $0 * 10 + (Int($1) - 0x30) }
        }
    }
#endif
