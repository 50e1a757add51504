import Foundation

/// Decides how a download resumes. The request asks for the range that begins with the last byte in the file. If the
/// file is already complete, a range after that byte would be unsatisfiable (RFC 9110 §15.5.17).
struct Resumption: Sendable {
    enum Step: Sendable, Hashable {
        case append
        /// The response's body replaces the bytes in the file. With a record, the download can be resumed.
        case begin(DownloadRecord?)
        case startOver
        case fail(String)
    }

    private let address: String
    private let isContinuable: Bool
    private let hasOwnRange: Bool
    private(set) var length: Int64 = 0
    private(set) var record: DownloadRecord?
    private var expectedLength: Int64?
    private var requestedOffset: Int64?
    /// The requested offset, and the file's length when it was requested.
    private var resumed: (offset: Int64, length: Int64)?

    init(for request: URLRequest) {
        address = DownloadRecord.address(of: request)
        hasOwnRange = request.value(forHTTPHeaderField: "Range") != nil
        isContinuable = !hasOwnRange && (request.httpMethod ?? "GET") == "GET"
    }

    var isResumable: Bool { record != nil && length > 0 }

    mutating func takeOver(_ record: DownloadRecord, length: Int64) {
        guard isContinuable, record.address == address, length > 0 else { return }
        if let complete = record.length, length > complete { return }
        self.record = record
        self.length = length
    }

    var problemWithResuming: String? {
        if hasOwnRange { return "a download that resumes can't have a Range field of its own" }
        return isContinuable ? nil : "only a GET can be resumed"
    }

    mutating func request(completing request: URLRequest) -> URLRequest {
        requestedOffset = nil
        resumed = nil
        guard isContinuable else { return request }
        var request = request
        if let record, length > 0, record.belongs(to: request.url) {
            let offset = length - 1
            requestedOffset = offset
            resumed = (offset, length)
            request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
            request.setValue(record.validator.text, forHTTPHeaderField: "If-Range")
            // A range of compressed bytes can't be decoded without the beginning.
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        } else {
            request.setValue(nil, forHTTPHeaderField: "Range")
            request.setValue(nil, forHTTPHeaderField: "If-Range")
        }
        return request
    }

    func startsOver(after head: HTTPURLResponse) -> Bool {
        head.statusCode == 416 && requestedOffset != nil
    }

    mutating func take(_ head: HTTPURLResponse) -> Step {
        switch head.statusCode {
        case 206 where hasOwnRange:
            return begin(with: nil, expecting: nil)
        case 206:
            guard let offset = requestedOffset else {
                return .fail("the server sent a range, but the request didn't ask for one")
            }
            guard let length = completeLength(of: head, from: offset) else { return startOver() }
            expectedLength = length
            self.length = offset
            return .append
        case 416 where requestedOffset != nil:
            return startOver()
        case 204, 205:
            if requestedOffset != nil {
                return .fail("the server sent no content for the requested range")
            }
            return begin(with: nil, expecting: nil)
        default:
            let record = isContinuable ? DownloadRecord(of: head, address: address) : nil
            return begin(with: record, expecting: head.hasContentCoding ? nil : head.contentLength)
        }
    }

    mutating func add(_ count: Int) { length += Int64(count) }

    var problem: String? {
        guard let expectedLength, expectedLength != length else { return nil }
        return "the body has \(length) bytes instead of \(expectedLength)"
    }

    func progress(_ transfer: TransferProgress?) -> TransferProgress {
        var progress = transfer ?? TransferProgress()
        if let resumed {
            progress.offset = resumed.offset
            // The last byte in the file is requested and received a second time.
            progress.received = max(resumed.length, length, resumed.offset &+ progress.received)
        } else if transfer == nil {
            progress.received = length
        } else {
            return progress
        }
        progress.expectedToReceive =
            expectedLength ?? record?.length ?? progress.expectedToReceive.map { $0 &+ progress.offset }
        return progress
    }

    private mutating func begin(with record: DownloadRecord?, expecting length: Int64?) -> Step {
        self.record = record
        self.length = 0
        expectedLength = length
        resumed = nil
        return .begin(record)
    }

    private mutating func startOver() -> Step {
        record = nil
        length = 0
        return .startOver
    }

    /// Returns `nil` unless the range continues the file (RFC 9110 §15.3.7.3) and the complete length is known.
    private func completeLength(of head: HTTPURLResponse, from offset: Int64) -> Int64? {
        guard let record, record.belongs(to: head.url), record.validator.isValidator(of: head),
            !head.hasContentCoding,
            let field = head.value(forHTTPHeaderField: "Content-Range"),
            let content = ContentRange(field), content.range.lowerBound == offset
        else { return nil }
        if let length = content.length, let complete = record.length, length != complete { return nil }
        // With the length `*`, only the record knows where the representation ends. The range may end earlier.
        return content.length ?? record.length
    }
}

/// A strong validator (RFC 9110 §8.8.1) for `If-Range`. It identifies the exact bytes of a representation.
enum StrongValidator: Sendable, Hashable {
    case entityTag(String)
    case lastModified(String)

    /// A date is strong if `Date` is at least a second later (RFC 9110 §8.8.2.2). An entity tag takes precedence.
    init?(of head: HTTPURLResponse) {
        if let tag = head.value(forHTTPHeaderField: "ETag") {
            guard Self.isStrong(tag) else { return nil }
            self = .entityTag(tag)
            return
        }
        guard let text = head.value(forHTTPHeaderField: "Last-Modified"),
            let modified = HTTPDate.date(text),
            let date = head.value(forHTTPHeaderField: "Date").flatMap({ HTTPDate.date($0) }),
            date.timeIntervalSince(modified) >= 1
        else { return nil }
        self = .lastModified(text)
    }

    var text: String {
        switch self {
        case .entityTag(let text), .lastModified(let text): text
        }
    }

    func isValidator(of head: HTTPURLResponse) -> Bool {
        let tag = head.value(forHTTPHeaderField: "ETag")
        return switch self {
        case .entityTag(let text): tag == text
        case .lastModified(let text):
            tag == nil && head.value(forHTTPHeaderField: "Last-Modified") == text
        }
    }

    /// An entity tag is strong without the prefix `W/` (RFC 9110 §8.8.3).
    private static func isStrong(_ tag: String) -> Bool {
        let quote = UInt8(ascii: "\"")
        guard tag.utf8.count >= 2, tag.utf8.first == quote, tag.utf8.last == quote else { return false }
        return tag.utf8.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != quote }
    }
}

/// The value of a `Content-Range` field that has a range (RFC 9110 §14.4).
struct ContentRange: Sendable, Hashable {
    let range: ClosedRange<Int64>
    /// The length of the complete representation, or `nil` for `*`.
    let length: Int64?
}

extension ContentRange {
    init?(_ field: String) {
        let words = field.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let length = Self.number(parts[1])
        if length == nil, parts[1] != "*" { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, length.map({ last < $0 }) ?? (last < .max)
        else { return nil }
        self.init(range: first...last, length: length)
    }

    /// Accepts only digits, because `Int64` also accepts a sign.
    private static func number(_ digits: Substring) -> Int64? {
        digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(digits) : nil
    }
}
