import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How a download goes on from the bytes that are here, be they of an earlier attempt or of an earlier run of the app:
/// the decisions, without the files.
///
/// It asks from the last byte on that it has. So a part that is complete is answered with that byte, and 416 (RFC 9110
/// §15.5.17) always says that the whole is another one now.
struct Resumption: Sendable {
    /// What to do with the content of a response.
    enum Step: Sendable, Hashable {
        /// Put it at this offset, behind the bytes that are here.
        case append(at: Int64)
        /// It is the whole; forget what was here. With a record, it can be continued.
        case begin(DownloadRecord?)
        /// Leave it; ask for the whole.
        case askAgain
        /// Leave it, and fail for this reason.
        case refuse(String)
    }

    private let address: String
    /// Whether the request is one whose answer can be continued, and asks for no range of its own.
    private let isContinuable: Bool
    private let hasOwnRange: Bool
    /// How many bytes are here.
    private(set) var length: Int64 = 0
    /// What they are of; nil where they can't be continued.
    private(set) var record: DownloadRecord?
    /// How many bytes there are to be, where that is known.
    private var expectedLength: Int64?
    /// From where on the latest request asks; nil for the whole.
    private var asked: Int64?
    /// What was here when it asked, until the whole comes in its place.
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

    /// Why a download can't resume that is to; nil where it can.
    var problemWithResuming: String? {
        if hasOwnRange { return "a download that resumes has no Range of the request's own" }
        return isContinuable ? nil : "only a GET can be resumed"
    }

    /// The request of the next attempt, or of one that follows from a redirect: for the rest where the beginning came from
    /// its URL, else for the whole.
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
            // A range of what is coded is of no use without its beginning (§14.2).
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        } else {
            request.setValue(nil, forHTTPHeaderField: "Range")
            request.setValue(nil, forHTTPHeaderField: "If-Range")
        }
        return request
    }

    /// Whether a response that the request's rules call a failure is one that is to be asked anew.
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

    /// What is wrong with the whole, once its end has come.
    var problem: String? {
        guard let expectedLength, expectedLength != length else { return nil }
        return "the body has \(length) bytes instead of \(expectedLength)"
    }

    /// How far the whole is.
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

    /// The length of the whole that a range continues: one that begins where it should, of the same whole, which
    /// only a validator in the answer itself can tell (§15.3.7.3). Nil for any other.
    private func wholeLength(of head: HTTPURLResponse, from offset: Int64) -> Int64? {
        guard let record, record.came(from: head.url), record.validator.isValidator(of: head),
            !head.hasContentCoding,
            let field = head.value(forHTTPHeaderField: "Content-Range"),
            case .bytes(let range, let length)? = ContentRange(field), range.lowerBound == offset
        else { return nil }
        if let length, let known = record.length, length != known { return nil }
        // A part of a whole of unknown length may not be its last.
        return length ?? record.length
    }
}
