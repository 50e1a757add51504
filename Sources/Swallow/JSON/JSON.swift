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
    /// Nothing for ``missing``.
    let document: JSONDocument?
    /// Where in the document's tape the value's word is. It always is one of a value, not of a member's name.
    let position: Int

    @inline(__always)
    init(_ document: JSONDocument?, at position: Int) {
        self.document = document
        self.position = position
    }

    /// What a look-up gives where there is nothing. It is no JSON value: written by itself it reads `null`.
    public static var missing: JSON { JSON(nil, at: 0) }

    /// The JSON value `null`.
    public static var null: JSON { JSON(.constants, at: Int(JSONWord.Kind.null.rawValue)) }

    /// The value's word, unless the value is ``missing``.
    @inline(__always)
    var word: JSONWord? { document?.tape.word(at: position) }

    @inline(__always)
    var kind: JSONWord.Kind? { word?.kind }

    /// Gives `body` the tape and the value's word. It holds on to this value rather than to a copy of the
    /// document: that would be counted each time, which cost a quarter of reading a field.
    @inline(__always)
    func read<Result>(_ body: (JSONTape, JSONWord) -> Result?) -> Result? {
        withExtendedLifetime(self) {
            guard let tape = document?.tape else { return nil }
            return body(tape, tape.word(at: position))
        }
    }
}

// MARK: - Looking inside

extension JSON {
    /// The member of that name, or ``missing``, also when the value is no object.
    public subscript(name: String) -> JSON {
        guard let document, kind == .object,
            let position = document.member(name, ofObjectAt: position)
        else { return .missing }
        return JSON(document, at: position)
    }

    /// The element at that position, or ``missing``, also when the value is no array.
    public subscript(position: Int) -> JSON {
        guard let document, let word, word.kind == .array, (0..<word.length).contains(position) else {
            return .missing
        }
        var place = self.position + 1
        if word.offset == place + word.length { return JSON(document, at: place + position) }
        for _ in 0..<position { place = document.end(of: place) }
        return JSON(document, at: place)
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

    /// Whether there is a value at all: `false` for ``missing`` only, `true` for `null`.
    public var exists: Bool { document != nil }

    /// Whether the value is `null`: `false` for ``missing``.
    public var isNull: Bool { kind == .null }
}

// MARK: - As Swift values

extension JSON {
    /// The string, or `nil` if the value is none. Numbers and booleans are not turned into text.
    public var string: String? {
        read { tape, word in word.isString ? tape.string(word) : nil }
    }

    /// The boolean, or `nil` if the value is none. Numbers and strings are not read as booleans.
    public var bool: Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The array's elements, or `nil` if the value is no array.
    public var array: [JSON]? {
        kind == .array ? Array(elements) : nil
    }

    /// The object's members by name, or `nil` if the value is no object. Of a repeated name, the first.
    public var object: [String: JSON]? {
        guard kind == .object else { return nil }
        var object: [String: JSON] = [:]
        object.reserveCapacity(count)
        for (name, value) in members where object[name] == nil { object[name] = value }
        return object
    }

    /// The spelling of a number.
    var numberText: String? {
        guard let document, let word, word.isNumber else { return nil }
        return document.string(word)
    }
}
