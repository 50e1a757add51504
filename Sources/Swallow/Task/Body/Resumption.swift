import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides how a download continues the bytes in its part, from an earlier attempt or an earlier run of the app. Touches no
/// file.
///
/// Its requests begin at the last byte that is here. So a complete part is answered with that one byte, and 416 (RFC 9110
/// §15.5.17) always means that the whole has changed.
struct Resumption: Sendable {
    /// What to do with the content of a response.
    enum Step: Sendable, Hashable {
        /// Write it from this offset on; the bytes before stay.
        case append(at: Int64)
        /// It is the whole: replace the bytes that are here. With a record, a later download can continue it.
        case begin(DownloadRecord?)
        /// Drop it, and ask for the whole.
        case askAgain
        /// Drop it, and fail for this reason.
        case refuse(String)
    }

    private let address: String
    /// Whether the response can be continued: the request is a GET without a `Range` of its own.
    private let isContinuable: Bool
    private let hasOwnRange: Bool
    /// How many bytes are here.
    private(set) var length: Int64 = 0
    /// Says what the bytes belong to; nil where they can't be continued.
    private(set) var record: DownloadRecord?
    /// The length of the whole, where it is known.
    private var expectedLength: Int64?
    /// The offset from which the latest request asks; nil for the whole.
    private var asked: Int64?
    /// That offset, and how many bytes were here then; nil once the whole replaces them.
    private var resumed: (offset: Int64, length: Int64)?

    init(for request: URLRequest) {
        address = DownloadRecord.address(of: request)
        hasOwnRange = request.value(forHTTPHeaderField: "Range") != nil
        isContinuable = !hasOwnRange && (request.httpMethod ?? "GET") == "GET"
    }

    /// Whether what is here is worth keeping for the next download.
    var isWorthKeeping: Bool { record != nil && length > 0 }

    /// Takes over what an earlier download has left, unless it is of something else.
    mutating func takeOver(_ record: DownloadRecord, length: Int64) {
        guard isContinuable, record.address == address, length > 0 else { return }
        if let whole = record.length, length > whole { return }
        self.record = record
        self.length = length
    }

    /// Why the request can't be that of a download that resumes; nil where it can.
    var problemWithResuming: String? {
        if hasOwnRange { return "a download that resumes has no Range of the request's own" }
        return isContinuable ? nil : "only a GET can be resumed"
    }

    /// Completes the request of an attempt or a redirect: it asks for the rest if the beginning came from its URL, else for the
    /// whole.
    mutating func request(completing request: URLRequest) -> URLRequest {
        asked = nil
        resumed = nil
        guard isContinuable else { return request }
        var request = request
        if let record, length > 0, record.came(from: request.url) {
            let offset = length - 1
            asked = offset
            resumed = (offset, length)
            request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
            request.setValue(record.validator.text, forHTTPHeaderField: "If-Range")
            // A range of compressed bytes is of no use without the beginning (§14.2).
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        } else {
            request.setValue(nil, forHTTPHeaderField: "Range")
            request.setValue(nil, forHTTPHeaderField: "If-Range")
        }
        return request
    }

    /// Whether a response with an unacceptable status means that the whole is to be asked for.
    func asksAgain(after head: HTTPURLResponse) -> Bool {
        head.statusCode == 416 && asked != nil
    }

    /// Decides on the content of a response.
    mutating func take(_ head: HTTPURLResponse) -> Step {
        switch head.statusCode {
        case 206 where hasOwnRange:
            return begin(with: nil, expecting: nil)
        case 206:
            guard let offset = asked else {
                return .refuse("the server sent a range that it wasn't asked for")
            }
            guard let length = wholeLength(of: head, from: offset) else { return askAgain() }
            expectedLength = length
            self.length = offset
            return .append(at: offset)
        case 416 where asked != nil:
            return askAgain()
        case 204, 205:
            if asked != nil {
                return .refuse("the server has no content for the range that it was asked for")
            }
            return begin(with: nil, expecting: nil)
        default:
            let record = isContinuable ? DownloadRecord(of: head, address: address) : nil
            return begin(with: record, expecting: head.hasContentCoding ? nil : head.contentLength)
        }
    }

    /// Counts bytes of the content.
    mutating func add(_ count: Int) { length += Int64(count) }

    /// Why the file isn't whole at the end of the body; nil where it is.
    var problem: String? {
        guard let expectedLength, expectedLength != length else { return nil }
        return "the body has \(length) bytes instead of \(expectedLength)"
    }

    /// The progress of the whole file.
    ///
    /// - Parameter transfer: what the latest request's data task knows; nil while there is none.
    func progress(_ transfer: TransferProgress?) -> TransferProgress {
        var progress = transfer ?? TransferProgress()
        if let resumed {
            progress.offset = resumed.offset
            // The byte that is asked for again was here.
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

    private mutating func askAgain() -> Step {
        record = nil
        length = 0
        return .askAgain
    }

    /// The length of the whole that a range continues. Nil if the range begins elsewhere, or if no validator in the response
    /// confirms that it is a part of the same whole (§15.3.7.3).
    private func wholeLength(of head: HTTPURLResponse, from offset: Int64) -> Int64? {
        guard let record, record.came(from: head.url), record.validator.isValidator(of: head),
            !head.hasContentCoding,
            let field = head.value(forHTTPHeaderField: "Content-Range"),
            case .bytes(let range, let length)? = ContentRange(field), range.lowerBound == offset
        else { return nil }
        if let length, let known = record.length, length != known { return nil }
        // A range of a whole whose length isn't known may not reach its end.
        return length ?? record.length
    }
}
