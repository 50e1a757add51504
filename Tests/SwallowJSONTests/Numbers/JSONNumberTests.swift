import Foundation
import SwallowJSON
import Testing

@Suite("JSON: numbers")
struct JSONNumberTests {
    @Test(
        "A number that is a whole one reads as an Int, however spelled",
        arguments: [
            ("0", 0), ("-0", 0), ("-0.0", 0), ("0e999999999999999999999", 0), ("1.0", 1), ("1e2", 100),
            ("1.5e1", 15),
            ("1500e-2", 15), ("-12.0E0", -12), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775807.000", .max), ("9.223372036854775807e18", .max),
            ("1e0000000000000000000000018", 1_000_000_000_000_000_000),
        ])
    func ints(_ text: String, _ value: Int) throws {
        #expect(try JSON(parsing: text).int == value)
    }

    @Test(
        "A number that is no Int is nil, never rounded",
        arguments: [
            "1.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e400",
            "1e99999999999999999999", "0.1e-99999999999",
            "9007199254740993.5", "1e2147483647", "1e-2147483648",
        ])
    func notInts(_ text: String) throws {
        #expect(try JSON(parsing: text).int == nil)
    }

    @Test("int64 and uint64 reach their limits exactly")
    func wideIntegers() throws {
        #expect(try JSON(parsing: "18446744073709551615").uint64 == .max)
        #expect(try JSON(parsing: "18446744073709551616").uint64 == nil)
        #expect(try JSON(parsing: "-1").uint64 == nil)
        #expect(try JSON(parsing: "-0").uint64 == 0)
        #expect(try JSON(parsing: "1.8446744073709551615e19").uint64 == .max)
        #expect(try JSON(parsing: "-9223372036854775808").int64 == .min)
    }

    @Test(
        "double is the nearest Double",
        arguments: [
            ("0.1", 0.1), ("1", 1), ("-2.5e-3", -0.0025),
            ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
            ("5e-324", .leastNonzeroMagnitude), ("1e-400", 0),
            ("123456789012345678901234567890", 1.2345678901234568e29),
            ("0.30000000000000004", 0.1 + 0.2),
        ])
    func doubles(_ text: String, _ value: Double) throws {
        #expect(try JSON(parsing: text).double == value)
    }

    @Test("double is nil beyond its range and keeps the sign of zero")
    func doubleLimits() throws {
        #expect(try JSON(parsing: "1e400").double == nil)
        #expect(try JSON(parsing: "-1e400").double == nil)
        #expect(try JSON(parsing: "-0").double?.sign == .minus)
    }

    @Test("decimal takes the digits as written, without a Double in between")
    func decimals() throws {
        #expect(try JSON(parsing: "0.1").decimal == Decimal(sign: .plus, exponent: -1, significand: 1))
        #expect(try JSON(parsing: "19.99").decimal?.description == "19.99")
        #expect(
            try JSON(parsing: "-1234567890123456789.0123456789").decimal?.description
                == "-1234567890123456789.0123456789")
        #expect(try JSON(parsing: "1.5E2").decimal == 150)
        #expect(try JSON(parsing: "0e999").decimal == 0)
        #expect(try JSON(parsing: "1e200").decimal == nil)
        #expect(try JSON(parsing: "1e99999999999999999999").decimal == nil)
    }

    @Test(
        "A number keeps its spelling when written",
        arguments: [
            "1.0", "1E+2", "-0.00", "1e400", "0.10", "12345678901234567890123456789012345678901234567890",
        ])
    func spelling(_ text: String) throws {
        #expect(try JSON(parsing: text).description == text)
    }
}
