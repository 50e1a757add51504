import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides how a download continues the bytes in its partial file, which an earlier attempt or an earlier run of the app has
/// received. It doesn't use the file system.
///
/// A request asks for the range that begins with the last byte in the file. If the file is complete, the server sends this
/// byte again. For this reason, 416 (RFC 9110 §15.5.17) always means that the representation has changed.
struct Resumption: Sendable {
    /// The use of a response's content.
    enum Step: Sendable, Hashable {
        /// The content continues the file at this offset.
        case append(at: Int64)
        /// The content is complete and replaces the bytes in the file. With a record, a later download can continue it.
        case begin(DownloadRecord?)
        /// The content is dropped, and the next request asks for the complete representation.
        case askAgain
        /// The content is dropped, and the download fails with this detail.
        case refuse(String)
    }

    private let address: String
    /// Whether the response can be continued. The request has to be a GET, and the caller must not have set its `Range`.
    private let isContinuable: Bool
    private let hasOwnRange: Bool
    /// The number of bytes in the file.
    private(set) var length: Int64 = 0
    /// `nil` if the bytes can't be continued.
    private(set) var record: DownloadRecord?
    /// The length of the complete file, if it is known.
    private var expectedLength: Int64?
    /// The offset of the range that the latest request asks for. It is `nil` if the request has no range.
    private var asked: Int64?
    /// That offset, and the number of bytes in the file at that time. It is `nil` after a complete response has replaced them.
    private var resumed: (offset: Int64, length: Int64)?

    init(for request: URLRequest) {
        address = DownloadRecord.address(of: request)
        hasOwnRange = request.value(forHTTPHeaderField: "Range") != nil
        isContinuable = !hasOwnRange && (request.httpMethod ?? "GET") == "GET"
    }

    /// Whether the next download can continue the bytes.
    var isWorthKeeping: Bool { record != nil && length > 0 }

    /// Continues the bytes of an earlier download if they belong to the same request.
    mutating func takeOver(_ record: DownloadRecord, length: Int64) {
        guard isContinuable, record.address == address, length > 0 else { return }
        if let whole = record.length, length > whole { return }
        self.record = record
        self.length = length
    }

    /// The reason why the download can't resume, or `nil` if it can.
    var problemWithResuming: String? {
        if hasOwnRange { return "a download that resumes can't have a Range field of its own" }
        return isContinuable ? nil : "only a GET can be resumed"
    }

    /// Completes the request of an attempt or a redirect. It asks for the rest if the beginning came from its URL. Otherwise,
    /// it asks for the complete representation.
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
            // A range of compressed bytes can't be decoded without the beginning (§14.2).
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        } else {
            request.setValue(nil, forHTTPHeaderField: "Range")
            request.setValue(nil, forHTTPHeaderField: "If-Range")
        }
        return request
    }

    /// Whether the status of a response means that the next request has to ask for the complete representation.
    func asksAgain(after head: HTTPURLResponse) -> Bool {
        head.statusCode == 416 && asked != nil
    }

    /// Decides how to use the content of a response.
    mutating func take(_ head: HTTPURLResponse) -> Step {
        switch head.statusCode {
        case 206 where hasOwnRange:
            return begin(with: nil, expecting: nil)
        case 206:
            guard let offset = asked else {
                return .refuse("the server sent a range, but the request didn't ask for one")
            }
            guard let length = completeLength(of: head, from: offset) else { return askAgain() }
            expectedLength = length
            self.length = offset
            return .append(at: offset)
        case 416 where asked != nil:
            return askAgain()
        case 204, 205:
            if asked != nil {
                return .refuse("the server sent no content for the requested range")
            }
            return begin(with: nil, expecting: nil)
        default:
            let record = isContinuable ? DownloadRecord(of: head, address: address) : nil
            return begin(with: record, expecting: head.hasContentCoding ? nil : head.contentLength)
        }
    }

    /// Counts bytes of the content.
    mutating func add(_ count: Int) { length += Int64(count) }

    /// The reason why the file isn't complete at the end of the body, or `nil` if it is.
    var problem: String? {
        guard let expectedLength, expectedLength != length else { return nil }
        return "the body has \(length) bytes instead of \(expectedLength)"
    }

    /// Returns the progress of the complete file.
    ///
    /// - Parameter transfer: The progress of the current transfer, if there is one.
    func progress(_ transfer: TransferProgress?) -> TransferProgress {
        var progress = transfer ?? TransferProgress()
        if let resumed {
            progress.offset = resumed.offset
            // The last byte in the file is received a second time.
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

    /// Returns the length of the complete representation of which a response has a range. Returns `nil` if the range begins at
    /// another offset, or if no validator confirms that it belongs to the same representation (§15.3.7.3).
    private func completeLength(of head: HTTPURLResponse, from offset: Int64) -> Int64? {
        guard let record, record.came(from: head.url), record.validator.isValidator(of: head),
            !head.hasContentCoding,
            let field = head.value(forHTTPHeaderField: "Content-Range"),
            case .bytes(let range, let length)? = ContentRange(field), range.lowerBound == offset
        else { return nil }
        if let length, let known = record.length, length != known { return nil }
        // If the length isn't known, the range may not reach the end.
        return length ?? record.length
    }
}
