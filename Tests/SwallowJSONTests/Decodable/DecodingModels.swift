import Foundation

struct Box<Value: Decodable>: Decodable { var value: Value }
struct OptionalBox<Value: Decodable>: Decodable { var value: Value? }

struct Person: Decodable {
    struct Address: Decodable { var street: String; var zip: String? }
    var id: Int
    var name: String
    var nick: String?
    var score: Double
    var small: Int8?
    var ratio: Float?
    var active: Bool
    var tags: [String]
    var address: Address?
    var friends: [Person]?
}

class Animal: Decodable {
    var name: String
    private enum CodingKeys: CodingKey { case name }
}

final class Dog: Animal {
    var age: Int
    private enum CodingKeys: CodingKey { case age }
    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        age = try container.decode(Int.self, forKey: .age)
        try super.init(from: container.superDecoder())
    }
}

final class Cat: Animal {
    var lives: UInt8
    private enum CodingKeys: CodingKey { case lives }
    required init(from decoder: any Decoder) throws {
        lives = try decoder.container(keyedBy: CodingKeys.self).decode(UInt8.self, forKey: .lives)
        try super.init(from: decoder)
    }
}

enum Shape: Decodable {
    case circle(radius: Double)
    case rectangle(Int, Int)
    case empty
}

enum Grade: String, Decodable { case low, high }

struct Nested: Decodable {
    var x: Int
    var first: String
    var rest: [Int]
    enum Keys: CodingKey { case outer, list }
    enum Inner: CodingKey { case x }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        x = try container.nestedContainer(keyedBy: Inner.self, forKey: .outer).decode(Int.self, forKey: .x)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        first = try list.decode(String.self)
        var inner = try list.nestedUnkeyedContainer()
        rest = []
        while !inner.isAtEnd { rest.append(try inner.decodeIfPresent(Int.self) ?? -1) }
        _ = try list.nestedContainer(keyedBy: Inner.self).decodeIfPresent(Int.self, forKey: .x)
        _ = try list.superDecoder().singleValueContainer().decode(Bool.self)
    }
}

/// Tries several types one after the other, as many hand-written types do.
enum Anything: Decodable {
    case int(Int), double(Double), bool(Bool), string(String), list([Anything]), object([String: Anything]),
        null
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Int.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([Anything].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: Anything].self))
        }
    }
}

/// Decodes its members in reverse order, and one of them twice.
struct Backwards: Decodable {
    var a: Int
    var b: Int
    var c: Int?
    enum Keys: CodingKey { case a, b, c }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        c = try container.decodeIfPresent(Int.self, forKey: .c)
        b = try container.decode(Int.self, forKey: .b)
        a = try container.decode(Int.self, forKey: .a) &+ container.decode(Int.self, forKey: .a)
        _ = container.contains(.c)
        _ = container.allKeys.count
    }
}

struct Everything: Decodable {
    var url: URL?
    var uuid: UUID?
    var decimal: Decimal?
    var date: Date?
    var data: Data?
    var byNumber: [Int: String]?
    var byName: [String: [Int]]?
    var set: Set<Int>?
    var pair: [[Double]]?
    var level: Grade?
    var range: Range<Int>?
}

struct PathProbe: Decodable {
    var path: [String]
    init(from decoder: any Decoder) throws {
        path = decoder.codingPath.map(\.stringValue)
        if let container = try? decoder.container(keyedBy: Backwards.Keys.self) {
            path += container.codingPath.map(\.stringValue)
            path += try container.decodeIfPresent(PathProbe.self, forKey: .a)?.path ?? []
            path += try container.decodeIfPresent([PathProbe].self, forKey: .b)?.flatMap(\.path) ?? []
            path += try container.superDecoder().codingPath.map(\.stringValue)
        }
    }
}

struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
