import Foundation
import Testing
import TestSupport

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Content-Range")
struct ContentRangeTests {
    @Test(
        "A range that RFC 9110 §14.4 allows is parsed",
        arguments: [
            ("bytes 0-0/1", ContentRange(range: 0...0, length: 1)),
            ("bytes 42-1233/1234", .init(range: 42...1233, length: 1234)),
            ("Bytes 42-1233/*", .init(range: 42...1233, length: nil)),
            (
                "bytes 9223372036854775805-9223372036854775806/9223372036854775807",
                .init(range: 9_223_372_036_854_775_805...9_223_372_036_854_775_806, length: .max)
            ),
        ])
    func legal(field: String, range: ContentRange) throws {
        #expect(ContentRange(field) == range)
    }

    @Test(
        "A field with any other syntax, or without a range, is nil",
        arguments: [
            "", "bytes", "bytes ", "bytes 0-1", "bytes 0-1/", "bytes 1-0/2", "bytes 0-2/2", "bytes 0-/2",
            "bytes -1/2", "bytes +0-1/2", "bytes 0-1/-2", "bytes 0-1/2/3", "bytes 0-1-1/2", "bytes */*",
            "bytes */1234", "bytes 0-1/2 x", "lines 0-1/2", "0-1/2", "bytes=0-1/2", "bytes a-b/c",
            "bytes 0-9223372036854775808/*", "bytes 0-9223372036854775807/*",
            "bytes 0-1/99999999999999999999",
        ])
    func illegal(field: String) throws {
        #expect(ContentRange(field) == nil)
    }
}

@Suite("Strong validators")
struct StrongValidatorTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let oneSecondLater = "Sun, 06 Nov 1994 08:49:38 GMT"

    @Test(
        "An entity tag in quotes is strong, unless it is marked as weak",
        arguments: [
            ("\"a\"", true), ("\"\"", true), ("\"ä/b\"", true), ("W/\"a\"", false), ("a", false), ("", false),
            ("\"", false), ("\"a\", \"b\"", false), ("\"a b\"", false), ("\"a\"b\"", false),
        ])
    func tags(tag: String, isStrong: Bool) throws {
        let validator = StrongValidator(of: try head(200, ["ETag": tag]))
        #expect(validator == (isStrong ? .entityTag(tag) : nil))
    }

    @Test("A date is a strong validator if the response's Date is at least a second later")
    func dates() throws {
        let fields = ["Last-Modified": Self.date, "Date": Self.oneSecondLater]
        #expect(try StrongValidator(of: head(200, fields)) == .lastModified(Self.date))
        let sameSecond = ["Last-Modified": Self.date, "Date": Self.date]
        #expect(try StrongValidator(of: head(200, sameSecond)) == nil)
        #expect(try StrongValidator(of: head(200, ["Last-Modified": Self.date])) == nil)
        #expect(
            StrongValidator(of: try head(200, ["Last-Modified": "yesterday", "Date": Self.oneSecondLater]))
                == nil
        )
    }

    @Test("If the response has an entity tag, the date is ignored, even if the tag is weak")
    func both() throws {
        let dates = ["Last-Modified": Self.date, "Date": Self.oneSecondLater]
        let strong = try head(200, dates.merging(["ETag": "\"a\""]) { $1 })
        #expect(StrongValidator(of: strong) == .entityTag("\"a\""))
        #expect(try StrongValidator(of: head(200, dates.merging(["ETag": "W/\"a\""]) { $1 })) == nil)
        #expect(!StrongValidator.lastModified(Self.date).isValidator(of: strong))
    }
}

@Suite("Download records")
struct DownloadRecordTests {
    private static let fields = ["ETag": "\"a\"", "Content-Length": "10"]

    @Test("A record that is written and read again is equal", arguments: ["10", nil])
    func roundTrip(length: String?) throws {
        var fields = Self.fields
        fields["Content-Length"] = length
        let record = try #require(DownloadRecord(of: try head(200, fields), address: "x"))
        #expect(record.length == length.flatMap { Int64($0) })
        #expect(DownloadRecord(record.data) == record)
        let dated = try head(
            200,
            [
                "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                "Date": "Sun, 06 Nov 1994 09:49:37 GMT",
            ])
        let second = try #require(DownloadRecord(of: dated, address: "x"))
        #expect(DownloadRecord(second.data) == second)
    }

    @Test("A record that is truncated or has a changed byte is nil")
    func damage() throws {
        let data = try #require(DownloadRecord(of: try head(200, Self.fields), address: "x")).data
        for count in 0..<data.count { #expect(DownloadRecord(data.prefix(count)) == nil) }
        for index in data.indices {
            var damaged = data
            damaged[index] ^= 1
            #expect(DownloadRecord(damaged) == nil, "\(index)")
        }
        #expect(DownloadRecord(data + data) == nil)
    }

    @Test(
        "A response with a content coding or without a strong validator of reasonable size can't be resumed"
    )
    func none() throws {
        #expect(try DownloadRecord(of: head(200), address: "x") == nil)
        let coded = Self.fields.merging(["Content-Encoding": "gzip"]) { $1 }
        #expect(try DownloadRecord(of: head(200, coded), address: "x") == nil)
        let identity = Self.fields.merging(["Content-Encoding": "identity"]) { $1 }
        #expect(try DownloadRecord(of: head(200, identity), address: "x") != nil)
        let tag = "\"\(String(repeating: "x", count: DownloadRecord.maximumSize))\""
        #expect(try DownloadRecord(of: head(200, ["ETag": tag]), address: "x") == nil)
    }
}

@Suite("Resumption")
struct ResumptionTests {
    private static let request = URLRequest.to("http://h/a?token=s3cret")
    private static let fields = ["ETag": "\"a\"", "Content-Length": "100"]

    private static func record(_ fields: [String: String] = fields, of request: URLRequest = request)
        throws -> DownloadRecord?
    {
        try DownloadRecord(of: head(200, fields), address: DownloadRecord.address(of: request))
    }

    /// Returns a resumption that has `length` bytes and has requested the rest.
    private static func requestingRange(from length: Int64 = 40, fields: [String: String] = fields) throws
        -> Resumption
    {
        var resumption = Resumption(for: request)
        resumption.takeOver(try #require(try record(fields)), length: length)
        _ = resumption.request(completing: request)
        return resumption
    }

    private static func range(_ range: String, _ fields: [String: String] = ["ETag": "\"a\""])
        throws -> HTTPURLResponse
    {
        try head(206, fields.merging(["Content-Range": range]) { $1 })
    }

    @Test("Without a partial file, the complete file is requested")
    func whole() throws {
        var resumption = Resumption(for: Self.request)
        let request = resumption.request(completing: Self.request)
        #expect(request.value(forHTTPHeaderField: "Range") == nil)
        #expect(request.value(forHTTPHeaderField: "If-Range") == nil)
        #expect(try resumption.take(head(200, Self.fields)) == .begin(try Self.record()))
        resumption.add(100)
        #expect(resumption.problem == nil)
    }

    @Test("With a partial file, the rest is requested from its last byte, uncoded, if the file is unchanged")
    func rest() throws {
        var resumption = try Self.requestingRange(from: 40)
        let request = resumption.request(completing: Self.request)
        #expect(request.value(forHTTPHeaderField: "Range") == "bytes=39-")
        #expect(request.value(forHTTPHeaderField: "If-Range") == "\"a\"")
        #expect(request.value(forHTTPHeaderField: "Accept-Encoding") == "identity")
        #expect(try resumption.take(Self.range("bytes 39-99/100")) == .append)
        resumption.add(61)
        #expect(resumption.problem == nil)
    }

    @Test("If the partial file is complete, its last byte is requested")
    func complete() throws {
        var resumption = try Self.requestingRange(from: 100)
        #expect(
            resumption.request(completing: Self.request).value(forHTTPHeaderField: "Range") == "bytes=99-")
        #expect(try resumption.take(Self.range("bytes 99-99/100")) == .append)
        resumption.add(1)
        #expect(resumption.problem == nil)
    }

    @Test("Bytes that arrived count for the range of the next attempt")
    func furtherAttempt() throws {
        var resumption = Resumption(for: Self.request)
        _ = resumption.request(completing: Self.request)
        _ = resumption.take(try head(200, Self.fields))
        resumption.add(10)
        #expect(resumption.request(completing: Self.request).value(forHTTPHeaderField: "Range") == "bytes=9-")
        #expect(try resumption.take(Self.range("bytes 9-99/100")) == .append)
        resumption.add(11)
        #expect(
            resumption.request(completing: Self.request).value(forHTTPHeaderField: "Range") == "bytes=19-")
    }

    @Test("A partial file isn't resumed if its URL differs, or if it is empty or too long")
    func otherParts() throws {
        let other = try #require(try Self.record(of: .to("http://h/a?token=other")))
        let same = try #require(try Self.record())
        for (record, length) in [(other, Int64(40)), (same, 0), (same, 101)] {
            var resumption = Resumption(for: Self.request)
            resumption.takeOver(record, length: length)
            #expect(resumption.request(completing: Self.request).value(forHTTPHeaderField: "Range") == nil)
            #expect(!resumption.isResumable)
        }
    }

    @Test("A record doesn't contain the secrets of the URL")
    func secrets() throws {
        let data = try #require(try Self.record()).data
        #expect(!String(decoding: data, as: UTF8.self).contains("s3cret"))
    }

    @Test(
        "If the response isn't the rest of the same file, the complete file is requested",
        arguments: [
            ("bytes 40-99/100", ["ETag": "\"a\""]), ("bytes 0-99/100", ["ETag": "\"a\""]),
            ("bytes 39-99/101", ["ETag": "\"a\""]), ("bytes */100", ["ETag": "\"a\""]),
            ("", ["ETag": "\"a\""]), ("bytes 39-99/100", ["ETag": "\"b\""]),
            ("bytes 39-99/100", ["ETag": "W/\"a\""]), ("bytes 39-99/100", [:]),
            ("bytes 39-99/100", ["ETag": "\"a\"", "Content-Encoding": "gzip"]),
        ])
    func wrongRange(range: String, fields: [String: String]) throws {
        var resumption = try Self.requestingRange()
        #expect(try resumption.take(Self.range(range, fields)) == .startOver)
        let request = resumption.request(
            completing: .to("http://h/a") {
                $0.setValue("bytes=39-", forHTTPHeaderField: "Range")
                $0.setValue("\"a\"", forHTTPHeaderField: "If-Range")
            })
        #expect(request.value(forHTTPHeaderField: "Range") == nil)
        #expect(request.value(forHTTPHeaderField: "If-Range") == nil)
        // The resumption asks again only once.
        #expect(try resumption.take(Self.range(range, fields)) != .startOver)
    }

    @Test("If a range of unknown total length arrives, the complete file is requested")
    func unknownLength() throws {
        var resumption = try Self.requestingRange(fields: ["ETag": "\"a\""])
        #expect(try resumption.take(Self.range("bytes 39-99/*")) == .startOver)
    }

    @Test("After 416, the complete file is requested once")
    func unsatisfiable() throws {
        var resumption = try Self.requestingRange()
        let unsatisfied = try head(416, ["Content-Range": "bytes */20"])
        #expect(resumption.startsOver(after: unsatisfied))
        #expect(resumption.take(unsatisfied) == .startOver)
        _ = resumption.request(completing: Self.request)
        #expect(!resumption.startsOver(after: unsatisfied))
        #expect(try !(Self.requestingRange().startsOver(after: try head(404))))
    }

    @Test("If the complete file arrives instead of the rest, the download starts again with its validator")
    func changed() throws {
        var resumption = try Self.requestingRange()
        let fields = ["ETag": "\"b\"", "Content-Length": "7"]
        #expect(try resumption.take(head(200, fields)) == .begin(try Self.record(fields)))
        resumption.add(7)
        #expect(resumption.problem == nil)
        #expect(resumption.isResumable)
        #expect(try resumption.take(head(200)) == .begin(nil))
        resumption.add(7)
        #expect(!resumption.isResumable)
    }

    @Test("A range that wasn't requested is refused")
    func immediately() throws {
        var resumption = Resumption(for: Self.request)
        _ = resumption.request(completing: Self.request)
        guard case .fail = resumption.take(try Self.range("bytes 0-99/100")) else {
            Issue.record("it was taken")
            return
        }
    }

    @Test("A range that the request itself specifies is the content, and is never resumed")
    func ownRange() throws {
        let request = URLRequest.to("http://h/a") { $0.setValue("bytes=5-9", forHTTPHeaderField: "Range") }
        var resumption = Resumption(for: request)
        #expect(resumption.problemWithResuming != nil)
        #expect(resumption.request(completing: request).value(forHTTPHeaderField: "Range") == "bytes=5-9")
        #expect(try resumption.take(Self.range("bytes 5-9/100")) == .begin(nil))
    }

    @Test("Only GET is resumed", arguments: ["POST", "PUT", "DELETE"])
    func methods(method: String) throws {
        let request = URLRequest.to("http://h/a") { $0.httpMethod = method }
        var resumption = Resumption(for: request)
        #expect(resumption.problemWithResuming != nil)
        #expect(try resumption.take(head(200, Self.fields)) == .begin(nil))
        #expect(Resumption(for: .to("http://h/a")).problemWithResuming == nil)
    }

    @Test("Too few bytes and too many bytes are a problem if the length is known")
    func lengths() throws {
        for count in [0, 99, 101] {
            var resumption = Resumption(for: Self.request)
            _ = resumption.take(try head(200, Self.fields))
            resumption.add(count)
            #expect(resumption.problem != nil)
        }
        var shortRange = try Self.requestingRange(from: 40)
        #expect(try shortRange.take(Self.range("bytes 39-49/100")) == .append)
        shortRange.add(11)
        #expect(shortRange.problem != nil)
        var coded = Resumption(for: Self.request)
        _ = coded.take(try head(200, ["Content-Encoding": "gzip", "Content-Length": "5"]))
        coded.add(100)
        #expect(coded.problem == nil)
    }
}
