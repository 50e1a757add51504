import Foundation
import Testing

@testable import SwallowJSON

/// A value that a closure encodes, like a hand-written type.
private struct By: Encodable {
    let body: (any Encoder) throws -> Void

    init(_ body: @escaping (any Encoder) throws -> Void) {
        self.body = body
    }

    func encode(to encoder: any Encoder) throws { try body(encoder) }
}

private struct Failure: Error {}

private enum Key: String, CodingKey { case a, b, c, d }

/// A value whose encoding throws after its first member.
private var failing: By {
    By { encoder in
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .a)
        throw Failure()
    }
}

private func expectSame(_ value: By, isDirect: Bool, _ location: SourceLocation = #_sourceLocation) {
    let options = JSON.EncodingOptions()
    let foundation = Result { try JSON(parsing: options.encoder.encode(value)).data(sortedKeys: true) }
    let swallow = Result { try JSON(parsing: options.data(of: value)).data(sortedKeys: true) }
    switch (foundation, swallow) {
    case (.success(let expected), .success(let data)):
        #expect(
            String(decoding: data, as: UTF8.self) == String(decoding: expected, as: UTF8.self),
            sourceLocation: location)
    case (.failure(let expected), .failure(let error)):
        #expect("\(error)" == "\(expected)", sourceLocation: location)
    default: Issue.record("\(swallow), not \(foundation)", sourceLocation: location)
    }
    #expect((JSONEncodingSession.data(of: value, options) != nil) == isDirect, sourceLocation: location)
}

@Suite("JSON: unusual Encodable types")
struct JSONEncodingUnplainTests {
    @Test("Nested containers of every kind are written directly, one after the other")
    func nested() {
        expectSame(
            By { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                var inner = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                try inner.encode(1, forKey: .a)
                var list = inner.nestedUnkeyedContainer(forKey: .b)
                try list.encode("x")
                try list.encodeNil()
                var deep = list.nestedContainer(keyedBy: Key.self)
                try deep.encode(true, forKey: .d)
                _ = list.nestedUnkeyedContainer()
                #expect(list.count == 4)
                try outer.encode([2.5], forKey: .c)
                _ = outer.nestedContainer(keyedBy: Key.self, forKey: .d)
            }, isDirect: true)
    }

    @Test("A second container of the same kind continues after the first")
    func secondContainer() {
        expectSame(
            By { encoder in
                var first = encoder.container(keyedBy: Key.self)
                try first.encode(1, forKey: .a)
                var second = encoder.container(keyedBy: Key.self)
                try second.encode(2, forKey: .b)
                try first.encode(3, forKey: .c)
            }, isDirect: true)
        expectSame(
            By { encoder in
                var first = encoder.unkeyedContainer()
                try first.encode(1)
                var second = encoder.unkeyedContainer()
                try second.encode(2)
            }, isDirect: true)
    }

    @Test("Interleaved containers are encoded as in JSONEncoder")
    func interleaved() {
        expectSame(
            By { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                var inner = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                try outer.encode(1, forKey: .b)
                try inner.encode(2, forKey: .c)
            }, isDirect: false)
        expectSame(
            By { encoder in
                var outer = encoder.unkeyedContainer()
                var first = outer.nestedUnkeyedContainer()
                var second = outer.nestedUnkeyedContainer()
                try second.encode(2)
                try first.encode(1)
            }, isDirect: false)
    }

    @Test("A value that writes to its parent's container is encoded as in JSONEncoder")
    func parent() {
        expectSame(
            By { encoder in
                var outer = encoder.container(keyedBy: Key.self)
                let held = outer
                try outer.encode(
                    By { encoder in
                        var held = held
                        try held.encode(1, forKey: .b)
                        var own = encoder.container(keyedBy: Key.self)
                        try own.encode(2, forKey: .c)
                    }, forKey: .a)
            }, isDirect: false)
    }

    @Test("If a name is encoded twice, the last value counts", arguments: [2, 31, 32, 33, 34, 200])
    func twice(_ count: Int) {
        expectSame(
            By { encoder in
                var container = encoder.container(keyedBy: JSONKey.self)
                for index in 0..<count {
                    try container.encode(index, forKey: JSONKey(stringValue: "\(index)"))
                }
            }, isDirect: true)
        for repeated in [0, count / 2, count - 1] {
            expectSame(
                By { encoder in
                    var container = encoder.container(keyedBy: JSONKey.self)
                    for index in 0..<count {
                        try container.encode(index, forKey: JSONKey(stringValue: "\(index)"))
                    }
                    try container.encode("again", forKey: JSONKey(stringValue: "\(repeated)"))
                }, isDirect: false)
        }
    }

    @Test(
        "Canonically equivalent names are the same name",
        arguments: [
            ("\u{E9}", "e\u{301}"), ("\u{212A}", "K"), ("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}"),
            ("a\u{323}\u{302}", "a\u{302}\u{323}"), ("\u{AC00}", "\u{1100}\u{1161}"),
        ])
    func unicode(_ first: String, _ second: String) {
        expectSame(
            By { encoder in
                var container = encoder.container(keyedBy: JSONKey.self)
                try container.encode(1, forKey: JSONKey(stringValue: first))
                try container.encode(2, forKey: JSONKey(stringValue: second))
            }, isDirect: false)
    }

    @Test("Names with escapes, long names and names beyond ASCII are written directly, and only once each")
    func names() {
        let names = [
            "", "\"", "\\", "/", "a\nb", "日本", "日本語", "é", String(repeating: "n", count: 40), "12345678",
            "123456789",
        ]
        for name in names {
            expectSame(
                By { encoder in
                    var container = encoder.container(keyedBy: JSONKey.self)
                    for name in names { try container.encode(1, forKey: JSONKey(stringValue: name)) }
                }, isDirect: true)
            expectSame(
                By { encoder in
                    var container = encoder.container(keyedBy: JSONKey.self)
                    try container.encode(1, forKey: JSONKey(stringValue: name))
                    try container.encode(2, forKey: JSONKey(stringValue: name))
                }, isDirect: false)
        }
    }

    @Test("Superclass encoders are written directly")
    func superEncoders() {
        expectSame(
            By { encoder in
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: .a)
                try 2.encode(to: container.superEncoder())
                try ["x": 3].encode(to: container.superEncoder(forKey: .b))
                var list = container.nestedUnkeyedContainer(forKey: .c)
                try [true].encode(to: list.superEncoder())
                try list.encode(4)
            }, isDirect: true)
    }

    @Test("Superclass encoders that are used late or never are encoded as in JSONEncoder")
    func lateSuperEncoders() {
        expectSame(
            By { encoder in
                var container = encoder.container(keyedBy: Key.self)
                let late = container.superEncoder()
                try container.encode(1, forKey: .a)
                try 2.encode(to: late)
            }, isDirect: false)
        expectSame(
            By { encoder in
                var container = encoder.container(keyedBy: Key.self)
                _ = container.superEncoder(forKey: .b)
                try container.encode(1, forKey: .a)
            }, isDirect: true)
    }

    @Test("A container doesn't throw if JSONEncoder doesn't, and its count grows")
    func sureOfItself() {
        expectSame(
            By { encoder in
                var outer = encoder.unkeyedContainer()
                var inner = outer.nestedUnkeyedContainer()
                // A hand-written type may use `try!` here, so the call must not throw.
                #expect(throws: Never.self) { try outer.encode(1) }
                while inner.count < 3 { #expect(throws: Never.self) { try inner.encode(inner.count) } }
            }, isDirect: false)
        expectSame(
            By { encoder in
                var container = encoder.container(keyedBy: Key.self)
                for _ in 0..<2 { #expect(throws: Never.self) { try container.encode([1], forKey: .a) } }
                #expect(encoder.codingPath.isEmpty)
                #expect(throws: Never.self) { try container.encode("b", forKey: .b) }
            }, isDirect: false)
    }

    @Test("A value that catches errors is encoded as in JSONEncoder")
    func caught() {
        expectSame(
            By { encoder in
                var container = encoder.container(keyedBy: Key.self)
                try? container.encode(failing, forKey: .a)
                try container.encode(2, forKey: .b)
            }, isDirect: false)
        expectSame(
            By { encoder in
                var list = encoder.unkeyedContainer()
                try? list.encode(failing)
                try? list.encode(Double.nan)
                try list.encode(2)
            }, isDirect: false)
        expectSame(
            By { encoder in
                var list = encoder.unkeyedContainer()
                var inner = list.nestedContainer(keyedBy: Key.self)
                try? inner.encode(Double.nan, forKey: .a)
                try inner.encode([1: 2], forKey: .b)
            }, isDirect: false)
    }

    @Test("An error that isn't caught is the type's own error")
    func thrown() {
        expectSame(By { _ in throw Failure() }, isDirect: false)
        expectSame(
            By { encoder in
                var container = encoder.container(keyedBy: Key.self)
                try container.encode([failing], forKey: .a)
            }, isDirect: false)
    }

    @Test("A value that encodes nothing fails as a document, and is an empty object as a member")
    func nothing() {
        expectSame(By { _ in }, isDirect: false)
        expectSame(
            By { encoder in
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(By { _ in }, forKey: .a)
                try container.encode([By { _ in }], forKey: .b)
            }, isDirect: true)
        expectSame(
            By { encoder in
                var container = encoder.singleValueContainer()
                try container.encode(By { _ in })
            }, isDirect: true)
    }

    @Test("A type receives its complete coding path")
    func path() {
        let paths = By { encoder in
            var container = encoder.container(keyedBy: Key.self)
            var list = container.nestedUnkeyedContainer(forKey: .a)
            try list.encode(1)
            try list.encode(
                By { encoder in
                    var container = encoder.singleValueContainer()
                    try container.encode(
                        By { encoder in
                            var list = encoder.unkeyedContainer()
                            for key in encoder.codingPath {
                                try list.encode("\(type(of: key)) \(key.stringValue)")
                            }
                        })
                })
        }
        expectSame(paths, isDirect: false)
    }

    @Test("The coding path is also correct while the text is written directly")
    func pathOnTheWay() throws {
        var seen: [[String]] = []
        let session = JSONEncodingSession(JSON.EncodingOptions())
        try? session.write(
            By { encoder in
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(
                    [
                        "x/\"y": [0, 1].map { index in
                            By { encoder in
                                if index == 1 { seen.append(encoder.codingPath.map(\.stringValue)) }
                                try index.encode(to: encoder)
                            }
                        }
                    ], forKey: .b)
            })
        #expect(seen == [["b", "x/\"y", "Index 1"]])
    }

    @Test("A container that outlives its value has no effect")
    func outlived() {
        expectSame(
            By { encoder in
                var kept: KeyedEncodingContainer<Key>?
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(
                    By { encoder in
                        var container = encoder.container(keyedBy: Key.self)
                        try container.encode(1, forKey: .a)
                        kept = container
                    }, forKey: .a)
                try container.encode([1], forKey: .b)
                try? kept?.encode(2, forKey: .c)
            }, isDirect: false)
    }
}
