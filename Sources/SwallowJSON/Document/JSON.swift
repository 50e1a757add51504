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
///
/// A document is parsed once into an index over its bytes; a `JSON` is that document and a place in it.
/// Strings and numbers are read when asked for, so touching three fields of a large response costs three
/// fields. Any part of a document keeps the whole of it in memory.
public struct JSON: Sendable {
    // Underscored attributes and functions, here and elsewhere in the package, change no result. `_fastPath` says
    // which way a branch mostly goes. Of two declarations that both fit, the compiler passes over the one marked
    // `@_disfavoredOverload`. Each is there because of a measurement or an ambiguity.

    /// Keeps the document alive. Never nil: a look-up that finds nothing keeps the same document, so that the code
    /// which is inlined into an app for `json["name"].string` needs no branch.
    @usableFromInline let owner: JSONDocument
    /// Where in the document's tape the value's word is, never a member's name; negative for ``missing``.
    @usableFromInline let position: Int

    @inlinable
    init(_ owner: JSONDocument, at position: Int) {
        self.owner = owner
        self.position = position
    }

    /// What a look-up gives where there is nothing. It is no JSON value: written by itself it reads `null`.
    public static var missing: JSON { JSON(.constants, at: -1) }

    /// The JSON value `null`.
    public static var null: JSON { JSON(.constants, at: Int(JSONWord.Kind.null.rawValue)) }

    /// Nil for ``missing``.
    @inline(__always)
    var document: JSONDocument? { position < 0 ? nil : owner }

    /// Nil for ``missing``.
    @inline(__always)
    var word: JSONWord? { read { _, word in word } }

    /// Calls `body` with the tape and the value's word. It keeps this value alive rather than a copy of the
    /// document: that would be counted each time.
    @inline(__always)
    func read<Result>(_ body: (JSONTape, JSONWord) -> Result?) -> Result? {
        withExtendedLifetime(self) {
            position < 0 ? nil : body(owner.tape, owner.tape.word(at: position))
        }
    }
}

// MARK: - Looking inside

extension JSON {
    /// The member of that name, or ``missing``, also when the value is no object.
    @inlinable
    public subscript(name: String) -> JSON { JSON(owner, at: member(name)) }

    /// The element at that position, or ``missing``, also when the value is no array.
    @inlinable
    public subscript(position: Int) -> JSON { JSON(owner, at: element(position)) }

    /// The position of the member; negative if there is none.
    @usableFromInline
    func member(_ name: String) -> Int {
        // Not by `read`: a closure that returns an optional costs a call and goes through memory. Look-ups of six
        // fields take 13 % fewer instructions this way, the comparison of names included.
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

    /// The position of the element; negative if there is none.
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

    /// An array's elements; none for any other value.
    public var elements: Elements { Elements(of: self) }

    /// An object's members in the document's order, repeated names included; none for any other value.
    public var members: Members { Members(of: self) }

    /// The number of ``elements`` or ``members``; 0 for anything but an array or an object.
    public var count: Int {
        guard let word, word.isContainer else { return 0 }
        return word.length
    }

    /// What the value is; ``Kind/missing`` where there is none.
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

    /// What a value can be (RFC 8259 §3).
    public enum Kind: Sendable {
        /// An object, an empty one included.
        case object
        /// An array, an empty one included.
        case array
        /// A string.
        case string
        /// A number, of any size.
        case number
        /// `true` or `false`.
        case bool
        /// `null`, which is a value.
        case null
        /// There is no value; see ``JSON/missing``.
        case missing
    }

    /// Whether there is a value at all: `false` for ``missing`` only, `true` for `null`.
    @inlinable
    public var exists: Bool { position >= 0 }

    /// Whether the value is `null`: `false` for ``missing``.
    public var isNull: Bool { word?.kind == .null }

    @usableFromInline var isObject: Bool { word?.kind == .object }

    @usableFromInline var isArray: Bool { word?.kind == .array }

    /// Why a value that was built can't be written; nil where it can. ``exists`` is false for such a value, as for
    /// ``missing``, and for a value that contains it.
    package var fault: String? { owner.fault }
}

// MARK: - As Swift values

extension JSON {
    /// The string, or `nil` if the value is none. Numbers and booleans are not turned into text.
    public var string: String? {
        read { tape, word in word.isString ? tape.string(word) : nil }
    }

    /// The boolean, or `nil` if the value is none. Numbers and strings are not read as booleans.
    public var bool: Bool? {
        switch word?.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The array's elements, or `nil` if the value is no array.
    public var array: [JSON]? {
        isArray ? Array(elements) : nil
    }

    /// The object's members by name, or `nil` if the value is no object. Of a repeated name, the first.
    public var object: [String: JSON]? {
        guard isObject else { return nil }
        var object: [String: JSON] = [:]
        object.reserveCapacity(count)
        for (name, value) in members where object[name] == nil { object[name] = value }
        return object
    }

    /// The spelling of a number.
    var numberText: String? {
        read { tape, word in word.isNumber ? tape.string(word) : nil }
    }
}
