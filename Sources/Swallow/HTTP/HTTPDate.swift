import Foundation

/// The dates of header fields, in the current format or in one of two obsolete formats (RFC 9110 §5.6.7).
package enum HTTPDate {
    package static func date(_ text: String, now: Date = Date()) -> Date? {
        guard text.utf8.count <= 64 else { return nil }
        let words = text.split { " \t,-:".contains($0) }
        if words.count == 8, words[7] == "GMT" || words[7] == "UTC" {
            return date(day: words[1], month: words[2], year: year(words[3], now), time: words[4...6])
        }
        guard words.count == 7 else { return nil }
        return date(day: words[2], month: words[1], year: year(words[6], now), time: words[3...5])
    }

    private static func date(
        day: Substring, month: Substring, year: Int?, time: ArraySlice<Substring>
    ) -> Date? {
        let time = time.compactMap { number($0) }
        guard let year, let month = months.firstIndex(of: month.lowercased()), let day = number(day),
            (1...length(of: month, year)).contains(day), time.count == 3, time[0] < 24, time[1] < 60,
            time[2] <= 60
        else { return nil }
        let seconds = time.reduce(0) { $0 * 60 + $1 }
        let midnight = TimeInterval(days(to: day, month, year)) * 86_400
        return Date(timeIntervalSince1970: midnight + TimeInterval(seconds))
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func year(_ text: Substring, _ now: Date) -> Int? {
        guard let number = number(text) else { return nil }
        if text.utf8.count == 4 { return number }
        guard text.utf8.count == 2 else { return nil }
        let thisYear = 1970 + Int(Duration(clamping: now.timeIntervalSince1970).seconds / 31_556_952)
        let year = thisYear - thisYear % 100 + number
        return year > thisYear + 50 ? year - 100 : year
    }

    private static func number(_ text: Substring) -> Int? {
        guard text.utf8.count <= 4 else { return nil }
        return HTTPSyntax.seconds(text)
    }

    private static func length(of month: Int, _ year: Int) -> Int {
        switch month {
        case 1: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 3, 5, 8, 10: 30
        default: 31
        }
    }

    /// Returns the days since 1970-01-01. A year starts in March here, so that its leap day is its last day.
    private static func days(to day: Int, _ month: Int, _ year: Int) -> Int {
        // Leap years repeat after 400 years, which have 146,097 days. They are added because divisions round toward 0.
        let year = month < 2 ? year + 399 : year + 400
        let dayOfYear = ((month + 10) % 12 * 153 + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468 - 146_097
    }
}

extension HTTPDate {
    /// Returns the date if the text has exactly one of the three formats (RFC 9111 §4.2). Ignores case.
    package static func strictDate(_ text: String, now: Date = Date()) -> Date? {
        guard text.utf8.count <= 64 else { return nil }
        let day = text.prefix(while: \.isLetter).lowercased()
        let isInGMT = text.lowercased().hasSuffix(" gmt")
        switch shape(of: text) {
        case "a, 00 a 0000 00:00:00 a": guard isInGMT, shortDays.contains(day) else { return nil }
        case "a, 00-a-00 00:00:00 a": guard isInGMT, longDays.contains(day) else { return nil }
        case "a a 00 00:00:00 0000", "a a  0 00:00:00 0000": guard shortDays.contains(day) else { return nil }
        default: return nil
        }
        return date(text.uppercased(), now: now)
    }

    private static func shape(of text: String) -> String {
        var shape: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): shape.append(UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if shape.last != UInt8(ascii: "a") { shape.append(UInt8(ascii: "a")) }
            default: shape.append(byte)
            }
        }
        return String(decoding: shape, as: UTF8.self)
    }

    private static let shortDays: Set<String> = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let longDays: Set<String> = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]
}
