import Foundation

extension JSONTextBuffer {
    /// Appends a date as ISO 8601 text in UTC, without fractions of a second.
    mutating func append(iso8601 date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard (Self.seconds1600..<Self.seconds10000).contains(seconds) else {
            append(string: date.formatted(.iso8601))
            return
        }
        let (days, time) = Int(seconds - Self.seconds1600).quotientAndRemainder(dividingBy: 86_400)
        // Counts days from March 1, 1600, so that a leap day is the last day of its year.
        var rest = days - 60
        var year = 1600
        if rest < 0 { (rest, year) = (rest + 146_097, year - 400) }
        year += 400 * (rest / 146_097)
        rest %= 146_097
        let century = min(rest / 36_524, 3)
        rest -= 36_524 * century
        let cycle = min(rest / 1461, 24)
        rest -= 1461 * cycle
        let yearOfCycle = min(rest / 365, 3)
        rest -= 365 * yearOfCycle
        year += 100 * century + 4 * cycle + yearOfCycle
        // From March on, the lengths of the months repeat after five months. They are 31, 30, 31, 30 and 31 days.
        let month = (5 * rest + 2) / 153
        let day = rest - (153 * month + 2) / 5 + 1
        if month >= 10 { year += 1 }

        append(UInt8(ascii: "\""))
        append(twoDigits: year / 100)
        append(twoDigits: year % 100)
        append(UInt8(ascii: "-"))
        append(twoDigits: month < 10 ? month + 3 : month - 9)
        append(UInt8(ascii: "-"))
        append(twoDigits: day)
        append(UInt8(ascii: "T"))
        append(twoDigits: time / 3600)
        append(UInt8(ascii: ":"))
        append(twoDigits: time / 60 % 60)
        append(UInt8(ascii: ":"))
        append(twoDigits: time % 60)
        append(#"Z""#)
    }

    private mutating func append(twoDigits number: Int) {
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    private static let seconds1600 = -11_676_096_000.0
    private static let seconds10000 = 253_402_300_800.0
}
