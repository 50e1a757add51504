import Foundation

/// Parses server-sent events from bytes that arrive in pieces of any size, as WHATWG HTML §9.2.6 specifies.
struct EventStreamParser: Sendable {
    private(set) var lastEventID: String
    private(set) var reconnectionTime: Duration?

    private let limit: Int
    private let jsonCoding: JSONCoding
    private var splitter: LineSplitter
    private var isFirstLine = true

    private var data: [UInt8] = []
    private var type = ""
    private var newID: String
    private var retry: Duration?

    init(lastEventID: String = "", limit: Int, jsonCoding: JSONCoding = .standard) {
        self.lastEventID = lastEventID
        self.limit = limit
        self.jsonCoding = jsonCoding
        newID = lastEventID
        splitter = LineSplitter(limit: limit, endsAtReturn: true)
    }

    mutating func append(_ bytes: Data) { splitter.append(bytes) }

    mutating func next() throws -> ServerSentEvent? {
        while var line = try splitter.next({ Array($0) }) {
            if isFirstLine {
                isFirstLine = false
                if line.starts(with: Self.byteOrderMark) { line.removeFirst(3) }
            }
            guard line.count + data.count <= limit else { throw LineSplitter.Overflow() }
            if !line.isEmpty {
                note(line)
            } else if let event = dispatch() {
                return event
            }
        }
        guard splitter.remainingCount + data.count <= limit else { throw LineSplitter.Overflow() }
        return nil
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

extension EventStreamParser {
    private mutating func note(_ line: [UInt8]) {
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "data":
            data += value
            data.append(UInt8(ascii: "\n"))
        case "event": type = String(decoding: value, as: UTF8.self)
        case "retry":
            guard let time = Self.time(value) else { return }
            (retry, reconnectionTime) = (time, time)
        case "id":
            guard value.count <= Self.idLimit, !value.contains(0) else { return }
            newID = String(decoding: value, as: UTF8.self)
        default: break
        }
    }

    /// The maximum size of an id in bytes. A longer id is ignored, because each new connection would send it.
    private static let idLimit = 4096

    private static func time(_ value: ArraySlice<UInt8>) -> Duration? {
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
