import Foundation

/// An immutable JSON value (RFC 8259).
///
/// A lookup never fails. It returns ``missing`` if the name or the index doesn't exist, even in ``missing`` itself:
///
/// ```swift
/// let json = try JSON(parsing: data)
/// let name = json["stores"][0]["name"].string ?? "unknown"
/// ```
///
/// Literals create values, for example `["name": "x", "tags": [1, 2], "owner": nil] as JSON`. RFC 8259 §4 doesn't
/// define the meaning of repeated names in an object. A lookup returns the first member with the name.
///
/// Each value keeps its complete document in memory. Strings and numbers are converted when you read them.
public struct JSON: Sendable {
    /// A missing value also has a document, so the inlined part of a lookup needs no branch.
    @usableFromInline let owner: JSONDocument
    /// The index of the value's ``JSONWord`` in the document's tape. Negative for ``missing``.
    @usableFromInline let position: Int

    @inlinable
    init(_ owner: JSONDocument, at position: Int) {
        self.owner = owner
        self.position = position
    }

    /// The result of a lookup that finds nothing. It is different from ``null``, but its ``data`` is `null`.
    public static var missing: JSON { JSON(.constants, at: -1) }

    /// The JSON value `null`.
    public static var null: JSON { JSON(.constants, at: Int(JSONWord.Kind.null.rawValue)) }

    @inline(__always)
    var document: JSONDocument? { position < 0 ? nil : owner }

    @inline(__always)
    var word: JSONWord? { read { _, word in word } }

    /// Calls a closure with the document's tape and the value's word. Returns `nil` for a missing value.
    @inline(__always)
    func read<Result>(_ body: (JSONTape, JSONWord) -> Result?) -> Result? {
        withExtendedLifetime(self) {
            position < 0 ? nil : body(owner.tape, owner.tape.word(at: position))
        }
    }
}

extension JSON {
    /// The value of the member with a name. ``missing`` if there is no such member, or if this isn't an object.
    @inlinable
    public subscript(name: String) -> JSON { JSON(owner, at: member(name)) }

    /// The element at an index. ``missing`` if the index is out of bounds, or if this isn't an array.
    @inlinable
    public subscript(position: Int) -> JSON { JSON(owner, at: element(position)) }

    @usableFromInline
    func member(_ name: String) -> Int {
        // Six lookups with `read` would take 15 % more instructions.
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

    /// The members of an object in the document's order, including repeated names. Empty for any other value.
    public var members: Members { Members(of: self) }

    /// The number of ``elements`` or ``members``, or 0 for any other value.
    public var count: Int {
        guard let word, word.isContainer else { return 0 }
        return word.length
    }

    /// The kind of the value. ``Kind/missing`` if the value doesn't exist.
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

    /// The kind of a value (RFC 8259 §3).
    public enum Kind: Sendable {
        /// An object, such as `{"id": 41}`.
        case object
        /// An array, such as `[1, 2]`.
        case array
        /// A string, such as `"x"`.
        case string
        /// A number, such as `1` or `1.5e3`.
        case number
        /// `true` or `false`.
        case bool
        /// `null`.
        case null
        /// No value. See ``JSON/missing``.
        case missing
    }

    /// Whether the value exists. Also `true` for `null`. `false` for ``missing`` and for values that can't be written.
    @inlinable
    public var exists: Bool { position >= 0 }

    /// Whether the value is `null`. `false` for ``missing``.
    public var isNull: Bool { word?.kind == .null }

    @usableFromInline var isObject: Bool { word?.kind == .object }

    @usableFromInline var isArray: Bool { word?.kind == .array }

    package var fault: String? { owner.fault }
}

extension JSON {
    /// The value as a `String`, or `nil` if it isn't a string. Numbers and Booleans aren't converted.
    public var string: String? {
        read { tape, word in word.isString ? tape.string(word) : nil }
    }

    /// The value as a `Bool`, or `nil` if it isn't a Boolean. Numbers and strings aren't converted.
    public var bool: Bool? {
        switch word?.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The elements, or `nil` if the value isn't an array. Unlike ``elements``, this copies them into an array.
    public var array: [JSON]? {
        isArray ? Array(elements) : nil
    }

    /// The members by name, or `nil` if the value isn't an object. If a name is repeated, the first member counts.
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

extension JSON {
    /// Parses one JSON document, strictly as RFC 8259 specifies.
    ///
    /// The text must be well-formed UTF-8 (§8.1), and surrogates in `\u` escapes must be pairs (§8.2). A byte order
    /// mark at the start is skipped, as §8.1 allows. The limits (§9) are 512 levels of nesting, less than 4 GiB of
    /// text, less than 256 MiB for a string or number, and fewer than 2^28 elements or members in a container.
    ///
    /// - Throws: ``JSONError`` with the expected text and its position.
    public init(parsing data: Data) throws(JSONError) {
        let parsed = data.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try JSONParser.document(bytes) }
        }
        self.init(try parsed.get(), at: 0)
    }

    /// Parses one JSON document from a string, as ``init(parsing:)-(Data)`` does.
    public init(parsing text: String) throws(JSONError) {
        var text = text
        let parsed = text.withUTF8 { bytes in
            Result { () throws(JSONError) in try JSONParser.document(UnsafeRawBufferPointer(bytes)) }
        }
        self.init(try parsed.get(), at: 0)
    }
}
