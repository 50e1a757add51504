import Foundation
import Swallow
import TestSupport
import Testing

enum Sorting: String, ParameterConvertible, Encodable { case distance, name }
enum Level: Int, ParameterConvertible { case low = -1, high = 7 }

@Suite("Types of parameter values")
struct ParameterTypesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let value: any ParameterConvertible
        let text: String
        let json: String
        var testDescription: String { "\(type(of: value)) \(text)" }

        init(_ value: any ParameterConvertible, _ text: String, json: String? = nil) {
            self.value = value
            self.text = text
            self.json = json ?? text
        }
    }

    static let integers: [Case] = [
        Case(Int.min, "-9223372036854775808"), Case(Int8.min, "-128"), Case(Int16.min, "-32768"),
        Case(Int32.min, "-2147483648"), Case(Int64.max, "9223372036854775807"),
        Case(UInt.max, "18446744073709551615"),
        Case(UInt8.max, "255"), Case(UInt16.max, "65535"), Case(UInt32.max, "4294967295"),
        Case(UInt64.max, "18446744073709551615"),
    ]

    static let decimals: [Case] = [
        Case(1.5, "1.5"), Case(-0.0, "-0.0"), Case(0.1 + 0.2, "0.30000000000000004"), Case(Float(0.1), "0.1"),
        Case(CGFloat(2.5), "2.5"), Case(Double.leastNonzeroMagnitude, "5e-324"),
        Case(1e300, "1e%2B300", json: "1e+300"),
        Case(Decimal(string: "0.1000000000000000000000000001") ?? 0, "0.1000000000000000000000000001"),
        Case(Decimal(string: "-123456789012345678901234567890") ?? 0, "-123456789012345678901234567890"),
    ]

    static let others: [Case] = [
        Case("a b", "a%20b", json: #""a b""#), Case("xyz".dropFirst(), "yz", json: #""yz""#),
        Case(true, "1", json: "true"), Case(false, "0", json: "false"),
        Case(
            UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID(),
            "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", json: #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#),
        Case(URL(filePath: "/tmp"), "file%3A%2F%2F%2Ftmp", json: #""file:///tmp""#),
        Case(Date(timeIntervalSince1970: 1.5), "1970-01-01T00%3A00%3A01Z", json: #""1970-01-01T00:00:01Z""#),
        Case(Date.distantPast, "0001-01-01T00%3A00%3A00Z", json: #""0001-01-01T00:00:00Z""#),
        Case(Date.distantFuture, "4001-01-01T00%3A00%3A00Z", json: #""4001-01-01T00:00:00Z""#),
        Case(Sorting.distance, "distance", json: #""distance""#), Case(Level.low, "-1"),
        Case(Optional(Optional(3)), "3"),
    ]

    @Test(
        "Each type is encoded in its percent-encoded form and in its JSON form",
        arguments: integers + decimals + others)
    func text(_ example: Case) throws {
        #expect(try query(["v": example.value]) == "v=\(example.text)")
        #expect(try body(["v": example.value], .json) == "{\"v\":\(example.json)}")
    }

    @Test("Integers of 128 bits are sent with all digits")
    func wide() throws {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        #expect(
            try query(["a": UInt128.max, "b": Int128.min]).hasPrefix(
                "a=340282366920938463463374607431768211455&b=-"))
    }

    struct Unsendable: Sendable, CustomTestStringConvertible {
        let value: any ParameterConvertible
        /// The type alone: `Date.description` traps on NaN.
        var testDescription: String { "\(type(of: value))" }
    }

    static let unsendable: [Unsendable] = [
        Unsendable(value: Double.nan), Unsendable(value: Double.infinity),
        Unsendable(value: -Double.infinity),
        Unsendable(value: Float.signalingNaN), Unsendable(value: CGFloat.infinity),
        Unsendable(value: Decimal.nan),
        Unsendable(value: Date(timeIntervalSince1970: .nan)),
        Unsendable(value: Date(timeIntervalSince1970: .infinity)),
        Unsendable(value: Date(timeIntervalSince1970: -1e12)),
        Unsendable(value: Date(timeIntervalSince1970: 1e300)),
    ]

    @Test(
        "A value that can't be sent fails with .invalidRequest and the parameter's name",
        arguments: unsendable)
    func refusesUnsendable(_ example: Unsendable) {
        for error in failures(["ok": 1, "speed": example.value]) {
            #expect(error?.reason == .invalidRequest)
            #expect(error?.description.contains("\"speed\"") == true)
        }
        for error in failures(["car": ["limits": ["speed": example.value] as Parameters] as Parameters]) {
            #expect(error?.reason == .invalidRequest)
            #expect(error?.description.contains("\"car[limits][speed]\"") == true)
        }
    }

    private func failures(_ parameters: Parameters) -> [ServiceError?] {
        [
            failure { () throws(ServiceError) in try query(parameters) },
            failure { () throws(ServiceError) in try body(parameters) },
            failure { () throws(ServiceError) in try body(parameters, .json) },
            failure { () throws(ServiceError) in try built(.POST, options: [.query(parameters)]) },
        ]
    }

    @Test(
        "A value that can't be sent fails the request even inside a list",
        arguments: [ParameterEncoding.Arrays.brackets, .repeat, .indices, .commaSeparated])
    func unsendableElement(arrays: ParameterEncoding.Arrays) {
        let error = failure { () throws(ServiceError) in
            try query(["speeds": [1, .nan]], .percent(arrays: arrays))
        }
        #expect(error?.reason == .invalidRequest)
        #expect(error?.description.contains("speeds") == true)
    }

    @Test("Sets are sorted, numbers by value and all other values by text")
    func sets() throws {
        let repeated = ParameterEncoding.percent(arrays: .repeat)
        #expect(try query(["s": Set([10, 9, -1])], repeated) == "s=-1&s=9&s=10")
        #expect(try query(["s": Set(["b", "a", "c"])], repeated) == "s=a&s=b&s=c")
        #expect(try query(["s": Set([Sorting.name, .distance])], repeated) == "s=distance&s=name")
        #expect(try query(["s": Set([Level.high, .low])], repeated) == "s=-1&s=7")
    }
}
