import Foundation

extension JSON {
    // A value that can't be written is an error where it is written or sent, not where it is built: a literal has no `try`.
    // Until then `exists` is false for it, and for a value that holds it.

    /// An object with these members in this order. One that is ``missing`` is left out; of a repeated name
    /// the first is kept. Nested more than 512 deep, it can't be written: see ``data``.
    public static func object(_ members: [(String, JSON)]) -> JSON {
        var names: Set<String> = []
        let kept = members.filter { name, value in
            (value.exists || value.fault != nil) && names.insert(name).inserted
        }
        return JSONBuilder.document { builder in
            builder.append(.object, count: kept.count) { builder in
                for (name, value) in kept {
                    builder.append(name)
                    builder.append(value)
                }
            }
        }
    }

    /// An array of these elements. One that is ``missing`` becomes `null`, so the others keep their place. Nested more
    /// than 512 deep, it can't be written: see ``data``.
    public static func array(_ elements: [JSON]) -> JSON {
        JSONBuilder.document { builder in
            builder.append(.array, count: elements.count) { builder in
                for element in elements { builder.append(element) }
            }
        }
    }

    /// A string.
    public static func string(_ value: String) -> JSON {
        JSONBuilder.document { $0.append(value) }
    }

    /// `true` or `false`.
    public static func bool(_ value: Bool) -> JSON {
        JSON(.constants, at: Int((value ? JSONWord.Kind.true : .false).rawValue))
    }

    /// A number of any integer type, exactly.
    public static func number(_ value: some BinaryInteger) -> JSON {
        number(spelled: String(value))
    }

    private static func number(spelled text: String, isFinite: Bool = true) -> JSON {
        guard isFinite else { return JSON(fault: "\(text) is not a finite number") }
        return JSONBuilder.document { $0.append(number: text) }
    }

    /// A number in the shortest spelling that reads back the same. Infinity and NaN can't be written (RFC 8259 §6): see
    /// ``data``.
    public static func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> JSON {
        number(spelled: value.description, isFinite: value.isFinite)
    }

    /// A number, exactly. NaN can't be written (RFC 8259 §6): see ``data``.
    public static func number(_ value: Decimal) -> JSON {
        number(spelled: value.description, isFinite: value.isFinite)
    }
}

// MARK: - Literals

extension JSON: ExpressibleByDictionaryLiteral {
    /// An object, as ``object(_:)`` makes it: order kept, of a repeated name the first.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(members)
    }
}

extension JSON: ExpressibleByArrayLiteral {
    /// An array, as ``array(_:)`` makes it.
    public init(arrayLiteral elements: JSON...) {
        self = .array(elements)
    }
}

extension JSON: ExpressibleByStringInterpolation {
    /// A string, which may have interpolations.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSON: ExpressibleByIntegerLiteral {
    /// A whole number.
    public init(integerLiteral value: Int) {
        self = .number(value)
    }
}

extension JSON: ExpressibleByFloatLiteral {
    /// A number with a fraction or an exponent.
    public init(floatLiteral value: Double) {
        self = .number(value)
    }
}

extension JSON: ExpressibleByBooleanLiteral {
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSON: ExpressibleByNilLiteral {
    /// The JSON value `null`, not ``missing``.
    public init(nilLiteral: ()) {
        self = .null
    }
}
