/// An immutable JSON value (RFC 8259).
///
/// A lookup never fails. The result for a name or index that doesn't exist is ``missing``, and so is every lookup in
/// ``missing``. A path therefore needs only one check, at its end:
///
/// ```swift
/// let json = try JSON(parsing: data)
/// let name = json["stores"][0]["name"].string ?? "unknown"
/// ```
///
/// Literals create values, for example `["name": "x", "tags": [1, 2], "owner": nil] as JSON`.
///
/// If an object has a name more than once, a lookup returns the first member, as in Foundation's `JSONDecoder`. RFC
/// 8259 §4 doesn't define this case. ``members`` has all of them.
///
/// A document is parsed once into an index of its bytes. A `JSON` is this document and a position in it. Strings and
/// numbers are converted when they are read, so reading three fields of a large response costs only three conversions.
/// Each value keeps its complete document in memory.
public struct JSON: Sendable {
    // Underscored attributes and functions never change a result. `_fastPath` is a hint about the usual direction of a
    // branch. `@_disfavoredOverload` resolves an ambiguity between two declarations.

    /// A missing value has its parent's document, so the inlined code for `json["name"].string` needs no branch.
    @usableFromInline let owner: JSONDocument
    /// The position of the value's word in the tape, never of a member's name. Negative for ``missing``.
    @usableFromInline let position: Int

    @inlinable
    init(_ owner: JSONDocument, at position: Int) {
        self.owner = owner
        self.position = position
    }

    /// The result of a lookup that finds nothing. It isn't a JSON value, and is written as `null`.
    public static var missing: JSON { JSON(.constants, at: -1) }

    /// The JSON value `null`.
    public static var null: JSON { JSON(.constants, at: Int(JSONWord.Kind.null.rawValue)) }

    /// `nil` for ``missing``.
    @inline(__always)
    var document: JSONDocument? { position < 0 ? nil : owner }

    /// `nil` for ``missing``.
    @inline(__always)
    var word: JSONWord? { read { _, word in word } }

    /// Keeps the value alive during the call, because a copy of the document would be retained.
    @inline(__always)
    func read<Result>(_ body: (JSONTape, JSONWord) -> Result?) -> Result? {
        withExtendedLifetime(self) {
            position < 0 ? nil : body(owner.tape, owner.tape.word(at: position))
        }
    }
}

// MARK: - Looking inside

extension JSON {
    /// The member with a name, or ``missing`` if there is none or the value isn't an object.
    @inlinable
    public subscript(name: String) -> JSON { JSON(owner, at: member(name)) }

    /// The element at an index, or ``missing`` if there is none or the value isn't an array.
    @inlinable
    public subscript(position: Int) -> JSON { JSON(owner, at: element(position)) }

    /// Negative if there is none.
    @usableFromInline
    func member(_ name: String) -> Int {
        // `read` isn't used, because its closure returns an optional through memory. Looking up six fields takes 13 %
        // fewer instructions this way.
        guard position >= 0 else { return -1 }
        defer { withExtendedLifetime(self) {} }
        let tape = owner.tape
        let word = tape.word(at: position)
        guard word.kind == .object else { return -1 }
        if _slowPath(word.length >= JSONIndex.leastParts),
            let member = owner.index?.member(name, ofObjectAt: position, in: tape)
        {
            return member
        }
        return tape.member(name, ofObjectAt: position, end: word.offset)
    }

    /// Negative if there is none.
    @usableFromInline
    func element(_ index: Int) -> Int {
        read { tape, word in
            guard word.kind == .array, index >= 0, index < word.length else { return nil }
            var place = position + 1
            if word.offset == place + word.length { return place + index }
            if index >= JSONIndex.leastParts, let large = owner.index {
                return large.element(index, ofArrayAt: position, in: tape)
            }
            for _ in 0..<index { place = tape.end(of: place) }
            return place
        } ?? -1
    }

    /// The elements of an array. The collection is empty for any other value.
    public var elements: Elements { Elements(of: self) }

    /// The members of an object in the document's order, including repeated names. The collection is empty for any
    /// other value.
    public var members: Members { Members(of: self) }

    /// The number of ``elements`` or ``members``, or 0 for any other value.
    public var count: Int {
        guard let word, word.isContainer else { return 0 }
        return word.length
    }

    /// The kind of the value, or ``Kind/missing`` if it doesn't exist.
    public var kind: Kind {
        switch word?.kind {
        case nil: .missing
        case .null: .null
        case .true, .false: .bool
        case .integer, .fraction: .number
        case .ascii, .text, .escaped: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The kinds of values (RFC 8259 §3).
    public enum Kind: Sendable {
        /// An object.
        case object
        /// An array.
        case array
        /// A string.
        case string
        /// A number.
        case number
        /// `true` or `false`.
        case bool
        /// `null`.
        case null
        /// The value doesn't exist, see ``JSON/missing``.
        case missing
    }

    /// Whether the value exists. This is `true` for `null`, and `false` for ``missing``.
    @inlinable
    public var exists: Bool { position >= 0 }

    /// Whether the value is `null`. This is `false` for ``missing``.
    public var isNull: Bool { word?.kind == .null }

    @usableFromInline var isObject: Bool { word?.kind == .object }

    @usableFromInline var isArray: Bool { word?.kind == .array }

    /// The reason why a value can't be written. Its ``exists`` is `false`, as for each value that contains it.
    package var fault: String? { owner.fault }
}

// MARK: - As Swift values

extension JSON {
    /// The string, or `nil` if the value isn't a string. Numbers and Booleans aren't converted.
    public var string: String? {
        read { tape, word in word.isString ? tape.string(word) : nil }
    }

    /// The Boolean, or `nil` if the value isn't a Boolean. Numbers and strings aren't converted.
    public var bool: Bool? {
        switch word?.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The array's elements, or `nil` if the value isn't an array.
    public var array: [JSON]? {
        isArray ? Array(elements) : nil
    }

    /// The object's members by name, or `nil` if the value isn't an object. If a name is repeated, the first member
    /// counts.
    public var object: [String: JSON]? {
        guard isObject else { return nil }
        var object: [String: JSON] = [:]
        object.reserveCapacity(count)
        for (name, value) in members where object[name] == nil { object[name] = value }
        return object
    }

    var numberText: String? {
        read { tape, word in word.isNumber ? tape.string(word) : nil }
    }
}
