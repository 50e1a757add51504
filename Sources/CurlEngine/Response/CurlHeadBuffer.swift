#if os(Linux) && canImport(Glibc)
    /// Collects the lines of a response's head. The final head replaces informational ones (RFC 9110 §15.2).
    struct CurlHeadBuffer {
        struct Limits: Sendable {
            var size: Int
            var fields: Int
        }

        private(set) var bytes: [UInt8] = []
        private(set) var isComplete = false
        private(set) var cookies = 0
        private let limits: Limits
        private var received = 0
        private var fields = 0
        private(set) var framing = CurlFraming()
        private var trailerFraming = CurlFraming()
        private(set) var trailers: [UInt8] = []

        init(_ limits: Limits) {
            self.limits = limits
        }

        mutating func append(_ line: UnsafeRawBufferPointer, mayUpgrade: Bool) -> String? {
            received += line.count
            guard received <= limits.size else {
                return "its head has more than \(limits.size) bytes (maximumHeadSize)"
            }
            let isEnd = line.elementsEqual([0x0D, 0x0A]) || line.elementsEqual([0x0A])
            if isComplete { return isEnd ? nil : appendTrailer(line) }
            let problem = check(line, isEnd: isEnd)
            bytes.append(contentsOf: line)
            guard problem == nil, isEnd else { return problem }
            switch status {
            case 101 where !mayUpgrade: return "it changes the protocol, but the request didn't ask for that"
            case 101, 200...: isComplete = true
            default: bytes.removeAll(keepingCapacity: true)
            }
            return nil
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

        private mutating func appendTrailer(_ line: UnsafeRawBufferPointer) -> String? {
            fields += 1
            if fields > limits.fields {
                return "its head and trailers have more than \(limits.fields) fields (maximumFieldCount)"
            }
            trailers.append(contentsOf: line)
            return trailerFraming.check(line)
        }

        var isHTTP1: Bool { bytes.starts(with: "HTTP/1".utf8) }

        /// 0 before the first status line, and after an invalid one.
        var status: Int { framing.status }
    }

    /// Rejects heads that two HTTP implementations may read differently (RFC 9112 §6.3).
    struct CurlFraming {
        private(set) var status = 0
        private(set) var length: Int64?
        private var hasCoding = false
        private var mayNotContinue = false
        private(set) var codings: [String] = []

        var endsWithConnection: Bool { length == nil && !hasCoding }

        typealias Line = UnsafeRawBufferPointer

        mutating func checkStatus(_ line: Line) -> String? {
            self = CurlFraming()
            guard line.starts(with: "HTTP/".utf8) else { return "the status line doesn't begin with HTTP/" }
            let code = line[..<Self.end(of: line)].drop { $0 != 0x20 }.drop { $0 == 0x20 }
                .prefix { $0 != 0x20 }
            guard code.count == 3, let number = Self.number(code), number >= 100 else {
                return "its status isn't a number from 100 to 999"
            }
            status = Int(number)
            return nil
        }

        mutating func check(_ line: Line) -> String? {
            guard let first = line.first else { return nil }
            switch first {
            case UInt8(ascii: "C"), UInt8(ascii: "c"), UInt8(ascii: "T"), UInt8(ascii: "t"):
                return checkField(line)
            case UInt8(ascii: " "), UInt8(ascii: "\t"):
                return mayNotContinue ? "Content-Length or Transfer-Encoding continues on another line" : nil
            default:
                mayNotContinue = false
                return nil
            }
        }

        static func problem(of line: Line) -> String? {
            let end = end(of: line)
            var isName = line.first.map(HTTPText.isBlank) == false
            for index in 0..<end {
                switch line[index] {
                case 0x0D, 0: return "a header line contains a bare CR or a NUL"
                case UInt8(ascii: ":"): isName = false
                case 0x20, 0x09: if isName { return "a header name contains a space" }
                default: break
                }
            }
            return isName ? "a header line has no colon" : nil
        }

        func checkEnd() -> String? {
            length != nil && hasCoding ? "it has both Content-Length and Transfer-Encoding" : nil
        }

        private mutating func checkField(_ line: Line) -> String? {
            mayNotContinue = false
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = HTTPText.trimmed(line[..<colon])
            guard let check = Self.check(of: name) else { return nil }
            // libcurl ignores a trailer field with a space before its colon, but others don't (RFC 9112 §5.1).
            if name.endIndex != colon { return "there is a space before a colon" }
            mayNotContinue = true
            return check(&self, HTTPText.trimmed(line[(colon + 1)..<Self.end(of: line)]))
        }

        private static func end(of line: Line) -> Int {
            var end = line.count
            if end > 0, line[end - 1] == 0x0A { end -= 1 }
            if end > 0, line[end - 1] == 0x0D { end -= 1 }
            return end
        }

        private typealias Check = (inout CurlFraming, Slice<Line>) -> String?

        private static func check(of name: Slice<Line>) -> Check? {
            switch name.count {
            case 14 where isSame(name, "content-length"): { $0.addLength($1) }
            case 16 where isSame(name, "content-encoding"): { $0.addContentCodings($1) }
            case 17 where isSame(name, "transfer-encoding"): { $0.addCoding($1) }
            default: nil
            }
        }

        private mutating func addContentCodings(_ value: Slice<Line>) -> String? {
            codings += value.split(separator: UInt8(ascii: ",")).map {
                String(decoding: HTTPText.trimmed($0), as: UTF8.self)
            }
            return nil
        }

        /// A list of equal numbers counts as one number (RFC 9110 §8.6).
        private mutating func addLength(_ value: Slice<Line>) -> String? {
            for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                guard let number = Self.number(HTTPText.trimmed(part)) else {
                    return "its Content-Length isn't a valid length: \(Self.text(value))"
                }
                if let length, length != number { return "its Content-Length fields differ" }
                length = number
            }
            return nil
        }

        /// Accepts only `chunked`, and only once (RFC 9112 §6.1).
        private mutating func addCoding(_ value: Slice<Line>) -> String? {
            defer { hasCoding = true }
            return Self.isSame(value, "chunked") && !hasCoding
                ? nil : "its Transfer-Encoding isn't chunked: \(Self.text(value))"
        }

        private static func number(_ digits: Slice<Line>) -> Int64? {
            // `Int64` also accepts a sign.
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return Int64(String(decoding: digits, as: UTF8.self))
        }

        private static func isSame(_ bytes: Slice<Line>, _ lowercased: String) -> Bool {
            guard bytes.count == lowercased.utf8.count else { return false }
            // This isn't a `zip`, because the first `zip` in a process takes half a millisecond.
            var index = bytes.startIndex
            for letter in lowercased.utf8 {
                let byte = bytes[index]
                guard byte == letter || byte | 0x20 == letter && (0x41...0x5A).contains(byte) else {
                    return false
                }
                index += 1
            }
            return true
        }

        private static func text(_ bytes: Slice<Line>) -> String {
            String(decoding: bytes.prefix(40), as: UTF8.self).debugDescription
        }
    }
#endif
