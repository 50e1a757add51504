import Foundation

extension JSONTextBuffer {
    /// Appends a date as ISO 8601 text in UTC, without fractions of a second.
    mutating func append(iso8601 date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard (Self.seconds1600..<Self.seconds10000).contains(seconds) else {
            append(string: date.formatted(.iso8601))
            return
        }
        // Counts from March 1, so that a leap day is the last day of its year.
        let (days, time) = Int(seconds - Self.secondsMarch0000).quotientAndRemainder(dividingBy: 86_400)
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // From March on, the lengths of the months repeat after five months. They are 31, 30, 31, 30 and 31 days.
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let year = 400 * era + yearOfEra + month / 10

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

    private static let secondsMarch0000 = -62_162_035_200.0
    private static let seconds1600 = -11_676_096_000.0
    private static let seconds10000 = 253_402_300_800.0
}
