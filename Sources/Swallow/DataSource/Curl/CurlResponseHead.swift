#if os(Linux)
    import Foundation
    import FoundationNetworking

    /// A response's status line and header fields.
    struct CurlResponseHead {
        private var version = "HTTP/1.1"
        private var status = 0
        private var fields: [String: String] = [:]
        /// The values of `Set-Cookie`, one by one.
        private(set) var cookies: [String] = []

        /// Parses lines, each with its line break.
        init(_ bytes: [UInt8]) {
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

        func response(from url: URL) -> HTTPURLResponse? {
            guard status >= 100 else { return nil }
            return HTTPURLResponse(url: url, statusCode: status, httpVersion: version, headerFields: fields)
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
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
                return nil
            }
            let name = Self.text(line[..<colon])
            let value = Self.text(Self.trimmed(line[(colon + 1)...]))
            if name.utf8.count == 10, name.lowercased() == "set-cookie" { cookies.append(value) }
            let known = fields[name] != nil ? name : fields.keys.first { Self.isSame($0, name) }
            guard let known else {
                fields[name] = value
                return name
            }
            fields[known]? += ", " + value
            return known
        }

        private static func isSame(_ left: String, _ right: String) -> Bool {
            left.utf8.count == right.utf8.count
                && zip(left.utf8, right.utf8).allSatisfy { left, right in
                    left == right || left ^ right == 0x20 && (0x61...0x7A).contains(left | 0x20)
                }
        }

        private static func takeLine(_ rest: inout Bytes) -> Bytes {
            guard let end = rest.firstIndex(of: 0x0A) else {
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

        private static func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }
    }

    /// The lines of a response's head as they come: informational responses (RFC 9110 §15.2) make room for the final
    /// one, and what follows that (trailers) is left out.
    struct CurlHeadBuffer {
        /// The lines of the latest head, each with its line break.
        private(set) var bytes: [UInt8] = []
        private var received = 0
        /// Whether the head has ended; it may be that of an informational response.
        private(set) var isComplete = false

        /// What one exchange may send in heads; later versions of libcurl stop at 300 KB, with a less telling error.
        private static let limit = 256 * 1024

        /// Says whether there is room for the line.
        mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
            received += line.count
            guard received <= Self.limit else { return false }
            if isComplete {
                guard status / 100 == 1 else { return true }
                bytes.removeAll(keepingCapacity: true)
                isComplete = false
            }
            if bytes.isEmpty { bytes.reserveCapacity(512) }
            bytes.append(contentsOf: line)
            isComplete = line.first == 0x0D || line.first == 0x0A
            return true
        }

        /// The three digits that follow the first space; 0 where there are none.
        var status: Int {
            guard let space = bytes.firstIndex(of: 0x20) else { return 0 }
            let digits = bytes[(space + 1)...].prefix(3)
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
            return digits.reduce(0) { 10 * $0 + Int($1 - 0x30) }
        }
    }
#endif
