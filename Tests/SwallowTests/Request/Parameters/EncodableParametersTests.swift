import Foundation
import Swallow
import TestSupport
import Testing

@Suite("Parameters from an Encodable")
struct EncodableParametersTests {
    struct Point: Encodable { var y = 1, x = 2 }

    struct Filter: Encodable {
        var zip = "15217"
        var open: Bool? = true
        var missing: Int?
        var sorting = Sorting.name
        var since = Date(timeIntervalSince1970: 0)
        var points = [Point(), Point(y: 3, x: 4)]
        var nested = Point()
        var limits = ["b": 2, "a": 1]
        var places = ["q": Point(), "p": Point()]
        var data = Data([1, 2, 3])
        var site = URL(filePath: "/x")
        var big = UInt64.max
        var price = Decimal(string: "0.1") ?? 0
    }

    @Test("Members are in the order of declaration, and dictionaries are sorted by key")
    func order() throws {
        let expected =
            #"{"zip":"15217","open":true,"sorting":"name","since":"1970-01-01T00:00:00Z","#
            + #""points":[{"y":1,"x":2},{"y":3,"x":4}],"nested":{"y":1,"x":2},"limits":{"a":1,"b":2},"#
            + #""places":{"p":{"y":1,"x":2},"q":{"y":1,"x":2}},"data":"AQID","site":"file:///x","#
            + #""big":18446744073709551615,"price":0.1}"#
        #expect(try body(Parameters(encoding: Filter()), .json) == expected)
    }

    @Test("Encoded parameters are percent-encoded like all others")
    func percent() throws {
        struct Search: Encodable {
            var point = Point()
            var tags = ["a b"]
        }
        #expect(try query(Parameters(encoding: Search())) == "point%5By%5D=1&point%5Bx%5D=2&tags%5B%5D=a%20b")
    }

    @Test("Coding keys, encode(to:), nested containers and superclasses are supported")
    func customEncoding() throws {
        struct Renamed: Encodable {
            var first = 1
            enum CodingKeys: String, CodingKey { case first = "fi rst" }
        }
        class Base: Encodable {
            enum Keys: CodingKey { case b, nested, list, inner }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(true, forKey: .b)
                var nested = container.nestedContainer(keyedBy: Keys.self, forKey: .nested)
                try nested.encodeNil(forKey: .inner)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(1)
                try list.encodeNil()
                var inner = list.nestedContainer(keyedBy: Keys.self)
                try inner.encode("x", forKey: .inner)
            }
        }
        final class Derived: Base {
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(0, forKey: .inner)
                try super.encode(to: container.superEncoder())
            }
        }
        #expect(try query(Parameters(encoding: Renamed())) == "fi%20rst=1")
        #expect(
            try body(Parameters(encoding: Derived()), .json)
                == #"{"inner":0,"super":{"b":true,"nested":{"inner":null},"list":[1,null,{"inner":"x"}]}}"#)
    }

    @Test("The members of an encoded dictionary are sorted by key")
    func dictionaries() throws {
        #expect(try query(Parameters(encoding: ["b": 1, "a": 2])) == "a=2&b=1")
        let many = Dictionary(uniqueKeysWithValues: (10..<60).map { ("k\($0)", Point()) })
        let names = (10..<60).map { "k\($0)%5By%5D=1&k\($0)%5Bx%5D=2" }
        #expect(try query(Parameters(encoding: many)) == names.joined(separator: "&"))
    }

    @Test("An empty type has no parameters, and an encoded nil is a nil parameter")
    func empty() throws {
        struct Empty: Encodable {}
        struct Explicit: Encodable {
            enum Keys: CodingKey { case a }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(Int?.none, forKey: .a)
            }
        }
        #expect(Parameters(encoding: Empty()).isEmpty)
        #expect(try body(Parameters(encoding: Explicit()), .json) == #"{"a":null}"#)
    }

    @Test("A nil member is an empty value if the encoding includes nils, but not a member of JSON")
    func synthesizedNil() throws {
        struct Optionals: Encodable {
            var one: String? = "one"
            var two: String?
            var three: Int?
            var four: [Int]?
            var five: Date?
            var six: Point? = Point()
            var seven: Bool?
        }
        let parameters = Parameters(encoding: Optionals())
        #expect(
            try query(parameters, .percent(nils: .emptyValue))
                == "one=one&two=&three=&four=&five=&six%5By%5D=1&six%5Bx%5D=2&seven=")
        #expect(try query(parameters) == "one=one&six%5By%5D=1&six%5Bx%5D=2")
        #expect(try body(parameters, .json) == #"{"one":"one","six":{"y":1,"x":2}}"#)
    }

    @Test("A value that doesn't encode as an object fails with .invalidRequest")
    func notAnObject() {
        for parameters in [
            Parameters(encoding: 1), Parameters(encoding: "x"), Parameters(encoding: [1, 2]),
            Parameters(encoding: [Point()]),
            Parameters(encoding: Point?.none), Parameters(encoding: Sorting.name),
        ] {
            #expect(failure { () throws(ServiceError) in try query(parameters) }?.reason == .invalidRequest)
            let error = failure { () throws(ServiceError) in try body(parameters, .json) }
            #expect(error?.reason == .invalidRequest)
            #expect(error?.description.contains("object") == true)
        }
    }

    @Test("A value that can't be encoded fails with .invalidRequest and the cause")
    func throwing() {
        struct Throwing: Encodable {
            func encode(to encoder: any Encoder) throws { throw AppError(code: 77) }
        }
        struct Holder: Encodable { var inner = [Throwing()] }
        struct Speed: Encodable { var speed = Double.nan }
        for parameters in [Parameters(encoding: Throwing()), Parameters(encoding: Holder())] {
            let error = failure { () throws(ServiceError) in try query(parameters) }
            #expect(error?.reason == .invalidRequest)
            #expect(error?.description.contains("77") == true)
        }
        let error = failure { () throws(ServiceError) in try query(Parameters(encoding: ["car": Speed()])) }
        #expect(error?.description.contains("\"car[speed]\"") == true)
    }
}
