import Foundation
import Testing

@testable import Swallow

struct RetryAfterTests {
    /// 2026-11-22 06:00:00 UTC.
    private let now = Date(timeIntervalSince1970: 1_795_327_200)

    @Test(
        "Seconds and dates say how long to wait, what has passed not at all, and what is neither nothing",
        arguments: [
            ("0", 0), ("120", 120), (" 7\t", 7), ("007", 7), ("99999999999999999999999", 1 << 31),
            ("2147483649", 1 << 31), ("Sun, 22 Nov 2026 06:01:00 GMT", 60),
            ("Sunday, 22-Nov-26 06:01:00 GMT", 60), ("Sun Nov 22 06:01:00 2026", 60),
            ("Mon, 23 Nov 2026 06:00:00 GMT", 86_400), ("Sun, 22 Nov 2026 05:59:59 GMT", 0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 1 << 31), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 01-Jan-70 00:00:00 GMT", 1_360_432_800), ("Thu, 01-Jan-99 00:00:00 GMT", 0),
            ("", nil), (" ", nil), ("-1", nil), ("+1", nil), ("1.5", nil), ("1s", nil), ("soon", nil),
            ("1, 2", nil), ("١", nil), ("Sun, 22 Nov 2026 06:01:00", nil),
            ("Sun, 31 Nov 2026 06:01:00 GMT", nil),
            ("Sun, 29 Feb 2026 06:01:00 GMT", nil), ("Sun, 22 Nov 2026 24:00:00 GMT", nil),
            ("Sun, 22 Nov 2026 06:60:00 GMT", nil), ("Sun, 22 Nov 2026 06:01:61 GMT", nil),
            ("Sun, 22 Nov 2026 06:01:00 CET", nil), ("Sun, 22 Nov 12026 06:01:00 GMT", nil),
            ("2026-11-22T06:01:00Z", nil), (String(repeating: "9", count: 100_000) + "x", nil),
        ] as [(String, Int?)])
    func delay(field: String, seconds: Int?) {
        #expect(RetryAfter.delay(field, now: now) == seconds.map { .seconds($0) })
    }

    @Test("Dates are those of the calendar, from the first year to the last")
    func calendar() throws {
        let style = Date.ISO8601FormatStyle()
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        for year in Array(stride(from: 1600, to: 2400, by: 1)) + [9999] {
            for (index, name) in names.enumerated() {
                let expected = try? style.parse(String(format: "%04d-%02d-28T12:34:56Z", year, index + 1))
                let date = HTTPDate.date(String(format: "Mon, 28 \(name) %04d 12:34:56 GMT", year))
                #expect(date == expected && date != nil)
            }
        }
        #expect(HTTPDate.date("Tue, 29 Feb 2028 00:00:00 GMT") != nil)
        #expect(HTTPDate.date("Thu, 29 Feb 1900 00:00:00 GMT") == nil)
        #expect(HTTPDate.date("Sun, 01 Mar 2026 00:00:00 GMT") == Date(timeIntervalSince1970: 1_772_323_200))
        #expect(HTTPDate.date("Mon, 01 Jan 0000 00:00:00 GMT") != nil)
    }
}
