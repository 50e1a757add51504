import Foundation
import Swallow
import TestSupport
import Testing

@Suite("Parameters")
struct ParametersTests {
    @Test("Parameters are sent in the order written")
    func order() throws {
        #expect(try query(["z": 1, "a": 2, "m": 3]) == "z=1&a=2&m=3")
        #expect(try body(["z": 1, "a": 2, "m": 3]) == "z=1&a=2&m=3")
        #expect(try body(["z": 1, "a": 2, "m": 3], .json) == #"{"z":1,"a":2,"m":3}"#)
    }

    @Test("A literal can contain nil, optionals, lists, dictionaries and other parameters")
    func literals() throws {
        let missing: Int? = nil
        let present: Int? = 3
        let parameters: Parameters = [
            "nil": nil, "missing": missing, "present": present, "tags": ["x", "y"], "flags": [true, false],
            "dictionary": ["b": 1, "a": 2], "f": ["b": 1, "a": "text", "n": nil] as Parameters,
            "optionals": [1, nil, 3] as [Int?],
        ]
        #expect(
            try body(parameters, .json)
                == #"{"nil":null,"missing":null,"present":3,"tags":["x","y"],"flags":[true,false],"#
                + #""dictionary":{"a":2,"b":1},"f":{"b":1,"a":"text","n":null},"optionals":[1,null,3]}"#)
    }

    @Test("Parameters from a dictionary variable are sorted by name")
    func dictionaries() throws {
        let same = ["c": 3, "a": 1, "b": 2]
        let mixed: [String: any ParameterConvertible] = ["c": "3", "a": 1, "b": true]
        let optional: [String: Int?] = ["b": nil, "a": 1]
        #expect(try query(Parameters(same)) == "a=1&b=2&c=3")
        #expect(try query(Parameters(mixed)) == "a=1&b=1&c=3")
        #expect(try query(Parameters(optional)) == "a=1")
        #expect(try query(Parameters([String: Int]())) == "")
    }

    @Test("A name that is written twice is sent twice, but JSON fails with an error that names it")
    func duplicates() throws {
        #expect(try query(["a": 1, "b": 2, "a": 3]) == "a=1&b=2&a=3")
        let error = failure { () throws(ServiceError) in
            try body(["o": ["a": 1, "a": 3] as Parameters], .json)
        }
        #expect(error?.reason == .invalidRequest)
        #expect(error?.description.contains("o[a]") == true)
    }

    @Test("Parameters can be changed by name")
    func subscripts() throws {
        var parameters: Parameters = ["a": 1, "b": 2, "a": 3]
        parameters["a"] = "x"
        parameters["c"] = 4
        #expect(try query(parameters) == "a=x&b=2&c=4")
        parameters["b"] = nil
        parameters.append(nil, for: "n")
        parameters.append([1], for: "a")
        #expect(try query(parameters, .percent(nils: .emptyValue)) == "a=x&c=4&n=&a%5B%5D=1")
        #expect(parameters["none"] == nil)
    }

    @Test("Parameters are values, so changing a copy doesn't change the original")
    func values() {
        let original: Parameters = ["a": 1]
        var copy = original
        copy["a"] = 2
        #expect(copy != original)
        copy["a"] = 1
        #expect(copy == original)
        #expect(copy.hashValue == original.hashValue)
        #expect(Parameters().isEmpty && !copy.isEmpty)
    }

    @Test("Parameters without content add no question mark and no body")
    func nothing() throws {
        #expect(
            try built(path: "/x", parameters: ["a": nil, "b": [Int](), "c": [:] as Parameters]).url?
                .absoluteString
                == "http://h/x")
        let post = try built(.POST, parameters: ["a": nil])
        #expect(post.httpBody == nil)
        #expect(post.value(forHTTPHeaderField: "Content-Type") == nil)
        #expect(
            try body(["a": nil, "b": [Int](), "c": [:] as Parameters], .json) == #"{"a":null,"b":[],"c":{}}"#)
    }

    @Test("Parameters can have an empty name and thousands of members")
    func extremes() throws {
        #expect(try query(["": "x"]) == "=x")
        let names = (0..<5000).map(String.init)
        var parameters = Parameters()
        for name in names { parameters.append(name, for: name) }
        #expect(try query(parameters) == names.map { "\($0)=\($0)" }.joined(separator: "&"))
    }
}
