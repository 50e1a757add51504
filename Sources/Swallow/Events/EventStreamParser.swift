import Foundation

/// Parses server-sent events from bytes that arrive in pieces of any size, as WHATWG HTML §9.2.6 specifies.
struct EventStreamParser: Sendable {
    struct Overflow: Error {}

    private(set) var lastEventID: String
    private(set) var reconnectionTime: Duration?

    private let limit: Int
    private let jsonCoding: JSONCoding
    private var part = Data()
    private var position = 0
    private var lineFeed = -1
    private var carriageReturn = -1
    private var skipsLineFeed = false
    private var isFirstLine = true
    private var beginning: [UInt8] = []

    private var data: [UInt8] = []
    private var type = ""
    private var newID: String
    private var retry: Duration?

    init(lastEventID: String = "", limit: Int, jsonCoding: JSONCoding = .standard) {
        self.lastEventID = lastEventID
        self.limit = limit
        self.jsonCoding = jsonCoding
        newID = lastEventID
    }

    mutating func append(_ bytes: Data) {
        part = bytes
        position = 0
        lineFeed = -1
        carriageReturn = -1
    }

    mutating func next() throws -> ServerSentEvent? {
        while true {
            switch try takeLine() {
            case nil: return nil
            case .end?: if let event = dispatch() { return event }
            case .field?: break
            }
        }
    }
}

extension EventStreamParser {
    private enum Line {
        case end
        case field
    }

    private mutating func takeLine() throws -> Line? {
        let part = part
        return try part.withUnsafeBytes { bytes -> Line? in
            if skipsLineFeed, position < bytes.count {
                if bytes[position] == Self.lineFeed { position += 1 }
                skipsLineFeed = false
            }
            guard position < bytes.count else { return nil }
            if lineFeed < position { lineFeed = bytes.firstIndex(of: Self.lineFeed, from: position) }
            if carriageReturn < position {
                carriageReturn = bytes.firstIndex(of: Self.carriageReturn, from: position)
            }
            let end = min(lineFeed, carriageReturn)
            let piece = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
            guard beginning.count + piece.count + data.count <= limit else { throw Overflow() }
            guard end < bytes.count else {
                beginning.append(contentsOf: piece)
                position = end
                return nil
            }
            position = end + 1
            skipsLineFeed = end == carriageReturn
            if beginning.isEmpty { return take(piece) }
            beginning.append(contentsOf: piece)
            let joined = beginning
            beginning = []
            return joined.withUnsafeBytes { take($0) }
        }
    }

    private mutating func take(_ line: UnsafeRawBufferPointer) -> Line {
        var line = line
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: Self.byteOrderMark) { line = .init(rebasing: line.dropFirst(3)) }
        }
        if line.isEmpty { return .end }
        let colon = line.firstIndex(of: UInt8(ascii: ":"), from: 0)
        if colon == 0 { return .field }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        var value = UnsafeRawBufferPointer(rebasing: line.dropFirst(colon + 1))
        if value.first == UInt8(ascii: " ") { value = .init(rebasing: value.dropFirst()) }
        note(name, value)
        return .field
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

extension UnsafeRawBufferPointer {
    func firstIndex(of byte: UInt8, from start: Int) -> Int {
        guard let baseAddress, start < count,
            let found = memchr(baseAddress + start, Int32(byte), count - start)
        else { return count }
        return UnsafeRawPointer(found) - baseAddress
    }
}

extension EventStreamParser {
    private mutating func note(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where name.elementsEqual("data".utf8):
            data.append(contentsOf: value)
            data.append(Self.lineFeed)
        case 5 where name.elementsEqual("event".utf8): type = String(decoding: value, as: UTF8.self)
        case 5 where name.elementsEqual("retry".utf8):
            if let time = Self.time(value) {
                retry = time
                reconnectionTime = time
            }
        case 2 where name.elementsEqual("id".utf8):
            guard value.count <= Self.idLimit, !value.contains(0) else { return }
            newID = String(decoding: value, as: UTF8.self)
        default: break
        }
    }

    /// The maximum size of an id in bytes. A longer id is ignored, because each new connection would send it.
    private static let idLimit = 4096

    private static func time(_ value: UnsafeRawBufferPointer) -> Duration? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard !value.isEmpty, value.allSatisfy(digits.contains) else { return nil }
        guard let milliseconds = Int64(String(decoding: value, as: UTF8.self)) else { return .century }
        return min(.milliseconds(milliseconds), .century)
    }

    private mutating func dispatch() -> ServerSentEvent? {
        lastEventID = newID
        defer {
            data.removeAll(keepingCapacity: data.count <= 64 * 1024)
            type = ""
            retry = nil
        }
        if data.isEmpty { return nil }
        var event = ServerSentEvent(
            id: lastEventID, event: type.isEmpty ? "message" : type,
            data: String(decoding: data.dropLast(), as: UTF8.self), retry: retry)
        event.jsonCoding = jsonCoding
        return event
    }
}
