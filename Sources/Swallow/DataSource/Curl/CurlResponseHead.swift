#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking

    /// The lines of a response's head as they come: informational responses (RFC 9110 §15.2) make room for the final
    /// one, and what follows that is kept apart (trailers).
    struct CurlHeadBuffer {
        /// The limits of a head.
        struct Limits: Sendable {
            var size: Int
            var fields: Int
        }

        /// The lines of the latest head, each with its line break.
        private(set) var bytes: [UInt8] = []
        /// Whether the empty line that ends the final head has come.
        private(set) var isComplete = false
        /// How many lines are a `Set-Cookie`.
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

        /// Adds a line; returns what is wrong with the head.
        ///
        /// - Parameter mayUpgrade: whether the request asked for another protocol.
        mutating func append(_ line: UnsafeRawBufferPointer, mayUpgrade: Bool) -> String? {
            received += line.count
            guard received <= limits.size else {
                return "its head has more bytes than maximumHeadSize, \(limits.size)"
            }
            let isEnd = line.first == 0x0D || line.first == 0x0A
            if isComplete { return isEnd ? nil : appendTrailer(line) }
            let problem = check(line, isEnd: isEnd)
            bytes.append(contentsOf: line)
            guard problem == nil, isEnd else { return problem }
            switch status {
            case 101: return mayUpgrade ? complete() : "it changes the protocol without being asked"
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
                return "its head has more fields than maximumFieldCount, \(limits.fields)"
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

        /// Takes a trailer field. Fields of the framing have no effect here, and invalid fields are dropped later.
        private mutating func appendTrailer(_ line: UnsafeRawBufferPointer) -> String? {
            fields += 1
            if fields > limits.fields {
                return "it has more fields than maximumFieldCount, \(limits.fields)"
            }
            trailers.append(contentsOf: line)
            return trailerFraming.check(line)
        }

        private mutating func complete() -> String? {
            isComplete = true
            return nil
        }

        var isHTTP1: Bool { bytes.starts(with: "HTTP/1".utf8) }

        /// The status code: the three digits after the first space.
        var status: Int {
            bytes.drop { $0 != 0x20 }.dropFirst().prefix(3).reduce(0) { $0 * 10 + (Int($1) - 0x30) }
        }
    }

    /// A response's status line and header fields.
    struct CurlResponseHead {
        private var version = "HTTP/1.1"
        private var status = 0
        private var fields: [String: String] = [:]
        /// Finds a key of `fields` by its name in lower case. Filled only once there are too many names to compare.
        private var names: [String: String] = [:]

        /// Up to here, comparing a name with all others costs less than hashing it once more.
        private static let comparedNames = 24

        /// The head in these lines, parsed on demand; nil where its status isn't valid.
        static func head(_ lines: [UInt8], from url: URL?) -> ResponseHead? {
            var head = CurlResponseHead()
            lines.withUnsafeBufferPointer { bytes in
                var rest = bytes[...]
                head.parseStatus(takeLine(&rest))
            }
            guard let url, head.status >= 100 else { return nil }
            return ResponseHead(statusCode: head.status) { CurlResponseHead(lines).response(from: url) }
        }

        private init() {}

        /// Parses lines, each with its line break.
        private init(_ bytes: [UInt8]) {
            // Growing step by step is 1 % of a request's CPU time in the profile.
            fields.reserveCapacity(12)
            bytes.withUnsafeBufferPointer { bytes in
                var rest = bytes[...]
                parseStatus(Self.takeLine(&rest))
                var name: String?
                while !rest.isEmpty {
                    let line = Self.takeLine(&rest)
                    if line.first.map(Self.isBlank) == true {
                        // A line that continues the one before (RFC 9112 §5.2).
                        if let name { fields[name]? += " " + Self.text(Self.trimmed(line)) }
                    } else {
                        name = parseField(line)
                    }
                }
            }
        }

        private func response(from url: URL) -> HTTPURLResponse {
            // Foundation refuses no status and no field.
            HTTPURLResponse(url: url, statusCode: status, httpVersion: version, headerFields: fields)!
        }

        private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

        private mutating func parseStatus(_ line: Bytes) {
            let parts = line.split(separator: 0x20, maxSplits: 2)
            guard parts.count >= 2 else { return }
            version = Self.text(parts[0])
            status = parts[1].reduce(0) { number, byte in
                number < 1000 && (0x30...0x39).contains(byte) ? number * 10 + Int(byte - 0x30) : 1000
            }
            if status >= 1000 { status = 0 }
        }

        /// Adds a field; one that is there already gets another value. Returns the name under which it is kept.
        private mutating func parseField(_ line: Bytes) -> String? {
            guard let colon = Self.index(of: UInt8(ascii: ":"), in: line), colon > line.startIndex else {
                return nil
            }
            let name = Self.text(Self.trimmed(line[..<colon]))
            let value = Self.value(Self.trimmed(line[(colon + 1)...]), of: name)
            guard let known = knownName(for: name) else {
                fields[name] = value
                if !names.isEmpty { names[name.lowercased()] = name }
                return name
            }
            fields[known]? += ", " + value
            return known
        }

        private mutating func knownName(for name: String) -> String? {
            if fields[name] != nil { return name }
            if fields.count < Self.comparedNames { return fields.keys.first { Self.isSame($0, name) } }
            if names.isEmpty {
                for name in fields.keys { names[name.lowercased()] = name }
            }
            return names[name.lowercased()]
        }

        private static func isSame(_ left: String, _ right: String) -> Bool {
            left.utf8.count == right.utf8.count
                && zip(left.utf8, right.utf8).allSatisfy { left, right in
                    left == right || left ^ right == 0x20 && (0x61...0x7A).contains(left | 0x20)
                }
        }

        /// The index of a byte's first occurrence. In debug builds, a slice's own search takes the runtime's lock for each byte.
        private static func index(of byte: UInt8, in bytes: Bytes) -> Int? {
            guard !bytes.isEmpty, let start = bytes.base.baseAddress.map({ UnsafeRawPointer($0) }),
                let place = memchr(start + bytes.startIndex, Int32(byte), bytes.count)
            else { return nil }
            return start.distance(to: UnsafeRawPointer(place))
        }

        private static func takeLine(_ rest: inout Bytes) -> Bytes {
            guard let end = index(of: 0x0A, in: rest) else {
                defer { rest = rest[rest.endIndex...] }
                return rest
            }
            defer { rest = rest[(end + 1)...] }
            let line = rest[..<end]
            return line.last == 0x0D ? line.dropLast() : line
        }

        private static func trimmed(_ bytes: Bytes) -> Bytes {
            var bytes = bytes.drop(while: isBlank)
            while let last = bytes.last, isBlank(last) { bytes.removeLast() }
            return bytes
        }

        private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

        /// A redirect requests exactly the bytes that the server named, so those of a `Location` that isn't UTF-8 are escaped.
        private static func value(_ bytes: Bytes, of name: String) -> String {
            guard isSame(name, "location"), String(validating: bytes, as: UTF8.self) == nil else {
                return text(bytes)
            }
            return PercentEncoding.escapeNonASCII(bytes)
        }

        private static func text(_ bytes: Bytes) -> String { HTTPSyntax.text(bytes) }
    }
#endif
