import Foundation
import SwallowJSON

enum Samples {
    typealias Compare = @Sendable (String) -> Void

    private static func type<Value: Decodable & SendableMetatype>(_ type: Value.Type) -> (
        Compare, Compare, Compare
    ) {
        (
            {
                compare(type, $0); compare(Value?.self, $0)
            },
            {
                compare(Box<Value>.self, $0); compare(OptionalBox<Value>.self, $0);
                compare([String: Value].self, $0)
            },
            {
                compare([Value].self, $0); compare([Value?].self, $0); compare(Set<Int>.self, $0)
            }
        )
    }

    static let scalarTypes: [(Compare, Compare, Compare)] = [
        type(Bool.self), type(String.self), type(Double.self), type(Float.self), type(Int.self),
        type(Int8.self),
        type(Int16.self), type(Int32.self), type(Int64.self), type(UInt.self), type(UInt8.self),
        type(UInt16.self), type(UInt32.self), type(UInt64.self), type(URL.self), type(Decimal.self),
        type(Date.self), type(Data.self), type(UUID.self), type(Grade.self), type(Anything.self),
        type(Person.self), type([Int].self), type([String: Int].self), type([Int: Int].self),
    ]

    static let scalars = [
        "null", "true", "false", "0", "-0", "1", "-1", "127", "128", "-128", "-129", "255", "256", "65535",
        "65536", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "1.0", "1.5", "-2.50", "1e2", "1E+3", "1e-2", "100e-2", "0.1",
        "3.14159265358979323846", "1e308", "1e309", "-1e400", "16777217", "0.1e1",
        "3.4028235e38", "3.5e38", "7.038531e-26", "1.00000017881393432617187499", "9007199254740993",
        "1e40", "123456789012345678901234567890", #""""#, #""x""#, #""low""#, #""é\n\u00e9😀""#,
        #""http://a.b/c?d=e""#, #""not a url""#, #""68753A44-4D6F-1226-9C60-0050E4C00067""#, #""AQID""#,
        #""AQI""#, #""2014-08-31T00:29:15Z""#, "[]", "{}", "[1]", #"{"a":1}"#, #"{"1":1}"#, #"{"1":1,"x":2}"#,
    ]

    static let models: [Compare] = [
        { compare(Person.self, $0) }, { compare([Person].self, $0) }, { compare(Dog.self, $0) },
        { compare(Cat.self, $0) }, { compare(Shape.self, $0) }, { compare([Shape].self, $0) },
        { compare(Nested.self, $0) }, { compare(Anything.self, $0) }, { compare(Backwards.self, $0) },
        { compare(Everything.self, $0) }, { compare(PathProbe.self, $0) },
        { compare([String: Person].self, $0) }, { compare([String: [String: Int]].self, $0) },
        { compare([Int: Person].self, $0) }, { compare([[Int]].self, $0) },
        { compare([Grade: Int].self, $0) },
        { compare(Box<Box<[Int8]>>.self, $0) },
    ]

    // One document a line.
    // swift-format-ignore
    static let modelDocuments = [
        #"{"id":1,"name":"A","nick":null,"score":1.5,"small":3,"ratio":0.1,"active":true,"tags":["a","b"],"address":{"street":"s","zip":"z"},"friends":[{"id":2,"name":"B","score":2,"active":false,"tags":[],"address":{"street":"t"}}]}"#,
        #"{"tags":[],"active":false,"score":-1e3,"extra":{"id":9},"name":"reverse","id":7}"#,
        #"[{"id":1,"name":"A","score":0,"active":true,"tags":[]},{"id":2,"name":"B","score":0,"active":true,"tags":["x"]}]"#,
        #"{"age":3,"super":{"name":"Rex"}}"#, #"{"age":3}"#, #"{"lives":9,"name":"Tom"}"#,
        #"{"circle":{"radius":1.5}}"#, #"{"rectangle":{"_0":1,"_1":2}}"#, #"{"empty":{}}"#, #"{"circle":{},"empty":{}}"#,
        #"[{"circle":{"radius":1}},{"empty":{}},{"rectangle":{"_0":1,"_1":2}}]"#,
        #"{"outer":{"x":1},"list":["f",[1,null,3],{"x":null},true]}"#,
        #"{"a":1,"b":2,"c":3}"#, #"{"c":3,"b":2,"a":1}"#, #"{"a":1,"b":2,"a":3,"c":4,"b":5,"c":null}"#,
        #"{"b":2,"\u0061":1,"a":7}"#, #"{"x":1,"a":{"a":{"b":[{"a":1},{}]}},"b":[{},{"b":[{}]}]}"#,
        #"{"url":"http://a.b","uuid":"68753A44-4D6F-1226-9C60-0050E4C00067","decimal":12.34,"date":1000.5,"data":"AQID","byNumber":{"1":"a","2":"b"},"byName":{"a":[1],"b":[]},"set":[1],"pair":[[1.5,2],[]],"level":"high","range":[1,5]}"#,
        #"{"p":{"id":1,"name":"A","score":1.5,"active":true,"tags":[]}}"#, #"{"1":{"id":1,"name":"A","score":1.5,"active":true,"tags":[]}}"#,
        #"{"a":{"b":1},"c":{"d":2,"d":3}}"#, "[[1,2],[],[3]]", #"{"value":{"value":[1,-2,3]}}"#, #"["low",1,"high",2]"#,
        "{}", "[]", "null",
    ]

    /// The document with each of its values replaced in turn.
    static func mutations(of text: String) -> [String] {
        guard let json = try? JSON(parsing: text) else { return [] }
        let replacements: [JSON] = [
            .null, true, 1, 300, 1.5, "x", [], [:], [1, "a"], ["a": 1], 9_223_372_036_854_775_807,
        ]
        return replacements.flatMap { variants(of: json, $0) }.map(\.description)
    }

    private static func variants(of json: JSON, _ replacement: JSON) -> [JSON] {
        var variants = [replacement]
        for (index, element) in json.elements.enumerated() {
            variants += self.variants(of: element, replacement).map { variant in
                .array(json.elements.enumerated().map { $0 == index ? variant : $1 })
            }
        }
        for (name, value) in json.members {
            let others = json.members.filter { $0.key != name }.map { ($0.key, $0.value) }
            variants.append(.object(others))
            variants += self.variants(of: value, replacement).map { variant in
                .object(json.members.map { ($0.key, $0.key == name ? variant : $0.value) })
            }
        }
        return variants
    }
}
