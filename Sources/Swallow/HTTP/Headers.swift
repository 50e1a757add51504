/// HTTP header fields, in order. Names are compared without regard to case, but keep their spelling (RFC 9110 §5.1).
/// Sending a name that isn't a token, or a value with CR, LF or NUL (§5.5), fails the task with `.invalidRequest`.
public struct Headers: Sendable {
    private struct Field: Sendable, Hashable {
        let name: Name
        var value: String
    }

    private var fields: [Field] = []

    /// Creates headers without fields.
    public init() {}

    /// Creates headers from a dictionary, sorted by name.
    public init(_ dictionary: [String: String]) {
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            append(value, for: Name(name))
        }
    }

    /// The value of a field, or `nil` if there is none. If there are several fields with this name, their values are
    /// joined with `", "` (RFC 9110 §5.3). Setting a value replaces all of them, and setting `nil` removes them.
    public subscript(name: Name) -> String? {
        get {
            let values = values(for: name)
            return values.count > 1 ? values.joined(separator: ", ") : values.first
        }
        set {
            guard let newValue else { return fields.removeAll { $0.name == name } }
            guard let first = fields.firstIndex(where: { $0.name == name }) else {
                return append(newValue, for: name)
            }
            fields[first].value = newValue
            fields[(first + 1)...].removeAll { $0.name == name }
        }
    }

    /// Appends a field, even if another field has the same name.
    public mutating func append(_ value: String, for name: Name) {
        fields.append(Field(name: name, value: value))
    }

    /// Returns the values of all fields with this name, in order.
    public func values(for name: Name) -> [String] {
        fields.compactMap { $0.name == name ? $0.value : nil }
    }

    /// The fields as a dictionary. The values of fields with the same name are joined with `", "` (RFC 9110 §5.3).
    package var combined: [String: String] {
        let values = Dictionary(fields.lazy.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        // Illegal names may differ only in their Unicode normalization.
        return Dictionary(values.lazy.map { ($0.key.rawValue, $0.value) }) { "\($0), \($1)" }
    }

    var problem: String? {
        for field in fields {
            if let problem = Self.problem(of: field.name, field.value) { return problem }
        }
        return nil
    }

    static func problem(of name: Name, _ value: String) -> String? {
        if !HTTPSyntax.isToken(name.rawValue) {
            return "the header name \"\(name)\" is not an RFC 9110 token"
        }
        let isLegal = HTTPSyntax.isFieldValue(value)
        return isLegal ? nil : "the value of the header \"\(name)\" contains a line break or NUL"
    }
}

extension Headers: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { fields.startIndex }
    /// The position after the last field.
    public var endIndex: Int { fields.endIndex }
    /// The field at a position of this collection.
    public subscript(position: Int) -> (name: Name, value: String) {
        (fields[position].name, fields[position].value)
    }
}

extension Headers: ExpressibleByDictionaryLiteral, Hashable, CustomStringConvertible {
    /// Creates headers in the order written. A name that is written twice becomes two fields.
    public init(dictionaryLiteral elements: (Name, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// One `Name: value` line for each field.
    public var description: String {
        fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}
