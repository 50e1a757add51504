import Foundation

extension JSON {
    // Literals can't throw. If a value can't be written, `exists` is `false`, also for its containers. Sending fails.

    /// Returns an object with these members in order. It omits ``missing`` values, and repeated names after the first.
    /// An object with more than 512 levels can't be written, see ``data``.
    public static func object(_ members: [(String, JSON)]) -> JSON {
        var names: Set<String> = []
        let remaining = members.filter { name, value in
            (value.exists || value.fault != nil) && names.insert(name).inserted
        }
        return build { writer in
            writer.writeObject(of: remaining) { writer, member in
                writer.write(member.0)
                writer.writeColon()
                writer.write(member.1)
            }
        }
    }

    /// Returns an array of these elements, with `null` in place of ``missing``. An array with more than 512 levels
    /// can't be written, see ``data``.
    public static func array(_ elements: [JSON]) -> JSON {
        build { writer in
            writer.writeArray(of: elements) { writer, element in writer.write(element) }
        }
    }

    /// Returns a JSON string. Only required characters are escaped (RFC 8259 §7).
    public static func string(_ value: String) -> JSON {
        build { $0.write(value) }
    }

    /// Returns the JSON value `true` or `false`.
    public static func bool(_ value: Bool) -> JSON {
        JSON(.constants, at: Int((value ? JSONWord.Kind.true : .false).rawValue))
    }

    /// Returns a JSON number with all digits of an integer.
    public static func number(_ value: some BinaryInteger) -> JSON {
        number(spelled: String(value))
    }

    private static func number(spelled text: String, isFinite: Bool = true) -> JSON {
        guard isFinite else { return JSON(fault: "\(text) is not a finite number") }
        return build { $0.write(number: text) }
    }

    /// Returns a JSON number, such as `1.0` or `1e+20`. Infinity and NaN can't be written (RFC 8259 §6), see ``data``.
    public static func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> JSON {
        number(spelled: value.description, isFinite: value.isFinite)
    }

    /// Returns a JSON number with all digits of a `Decimal`. NaN can't be written (RFC 8259 §6), see ``data``.
    public static func number(_ value: Decimal) -> JSON {
        number(spelled: value.description, isFinite: value.isFinite)
    }
}

extension JSON {
    /// Creates JSON from the text that a closure writes. If the closure can't write it, the value has a ``fault``.
    static func build(_ write: (inout JSONWriter) throws -> Void) rethrows -> JSON {
        var writer = JSONWriter(.compact)
        defer { writer.buffer.deallocate() }
        try write(&writer)
        if let fault = writer.fault { return JSON(fault: fault) }
        do {
            return JSON(try JSONParser.document(UnsafeRawBufferPointer(writer.buffer.text)), at: 0)
        } catch {
            return JSON(fault: "can't be stored: expected \(error.expected)")
        }
    }

    private init(fault: String) {
        self.init(JSONDocument(fault: fault), at: -1)
    }
}

extension JSON: ExpressibleByDictionaryLiteral {
    /// Creates an object, like ``object(_:)``.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(members)
    }
}

extension JSON: ExpressibleByArrayLiteral {
    /// Creates an array, like ``array(_:)``.
    public init(arrayLiteral elements: JSON...) {
        self = .array(elements)
    }
}

extension JSON: ExpressibleByStringInterpolation {
    /// Creates a JSON string from a literal, which may contain interpolations.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSON: ExpressibleByIntegerLiteral {
    /// Creates a JSON number without a fraction.
    public init(integerLiteral value: Int) {
        self = .number(value)
    }
}

extension JSON: ExpressibleByFloatLiteral {
    /// Creates a JSON number with a fraction or an exponent.
    public init(floatLiteral value: Double) {
        self = .number(value)
    }
}

extension JSON: ExpressibleByBooleanLiteral {
    /// Creates the JSON value `true` or `false`.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSON: ExpressibleByNilLiteral {
    /// Creates the JSON value `null`, which isn't ``missing``.
    public init(nilLiteral: ()) {
        self = .null
    }
}
