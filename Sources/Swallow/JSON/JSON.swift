import Foundation

/// A JSON value (RFC 8259): immutable, `Sendable`, and safe to look into wherever you like.
///
/// Looking something up never fails on the way. A name or position that isn't there gives ``missing``,
/// and so does everything below it, so a path needs only one check, at its end:
///
/// ```swift
/// let json = try JSON(parsing: data)
/// let name = json["stores"][0]["name"].string ?? "unknown"
/// ```
///
/// A value also has a literal form: `["name": "x", "tags": [1, 2], "owner": nil] as JSON`.
///
/// Where an object gives a name more than once (RFC 8259 §4 leaves open what that means), look-up takes
/// the first, as Foundation's `JSONDecoder` does; ``members`` shows them all.
public struct JSON: Sendable {
    /// What the value is: the one door through which the rest of the library reads it.
    let content: Content

    enum Content: Sendable {
        case missing
        case null
        case bool(Bool)
        /// A number in its own spelling, which RFC 8259 §6 has been checked to allow.
        case number(String)
        case string(String)
        case array(Elements)
        case object(Members)
    }

    init(_ content: Content) {
        self.content = content
    }

    /// What a look-up gives where there is nothing. It is no JSON value: written by itself it reads `null`.
    public static let missing = JSON(.missing)

    /// The JSON value `null`.
    public static let null = JSON(.null)
}

// MARK: - Looking inside

extension JSON {
    /// The member of that name, or ``missing``, also when the value is no object.
    public subscript(name: String) -> JSON {
        guard case .object(let members) = content else { return .missing }
        return members.first { $0.key == name }?.value ?? .missing
    }

    /// The element at that position, or ``missing``, also when the value is no array.
    public subscript(position: Int) -> JSON {
        elements[position]
    }

    /// An array's elements; none for any other value.
    public var elements: Elements {
        guard case .array(let elements) = content else { return Elements([]) }
        return elements
    }

    /// An object's members in the document's order, repeated names included; none for any other value.
    public var members: Members {
        guard case .object(let members) = content else { return Members([]) }
        return members
    }

    /// The number of ``elements`` or ``members``; 0 for anything but an array or an object.
    public var count: Int {
        switch content {
        case .array(let elements): elements.count
        case .object(let members): members.count
        default: 0
        }
    }

    /// Whether there is a value at all: `false` for ``missing`` only, `true` for `null`.
    public var exists: Bool {
        if case .missing = content { false } else { true }
    }

    /// Whether the value is `null`: `false` for ``missing``.
    public var isNull: Bool {
        if case .null = content { true } else { false }
    }
}

// MARK: - As Swift values

extension JSON {
    /// The string, or `nil` if the value is none. Numbers and booleans are not turned into text.
    public var string: String? {
        if case .string(let string) = content { string } else { nil }
    }

    /// The boolean, or `nil` if the value is none. Numbers and strings are not read as booleans.
    public var bool: Bool? {
        if case .bool(let bool) = content { bool } else { nil }
    }

    /// The array's elements, or `nil` if the value is no array.
    public var array: [JSON]? {
        if case .array(let elements) = content { Array(elements) } else { nil }
    }

    /// The object's members by name, or `nil` if the value is no object. Of a repeated name, the first.
    public var object: [String: JSON]? {
        guard case .object(let members) = content else { return nil }
        return Dictionary(members.lazy.map { ($0.key, $0.value) }) { first, _ in first }
    }
}
