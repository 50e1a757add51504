/// The names and values that a request sends, in order.
///
/// ```swift
/// GET("/stores", parameters: ["zip": zipCode, "radius": 10, "open": true])
/// ```
///
/// `GET` and `HEAD` send them in the query, and every other method sends them in the body. If a value can't be sent,
/// for example a number that isn't finite, the task fails with `.invalidRequest`.
public struct Parameters: Sendable, Hashable {
    var members: [Member] = []

    struct Member: Sendable, Hashable {
        var name: String
        var value: ParameterValue
        var isCodingKey = false
    }

    init(members: [Member]) {
        self.members = members
    }

    /// Creates empty parameters.
    public init() {}

    /// Creates parameters from a dictionary, sorted by name.
    public init(_ dictionary: [String: any ParameterConvertible]) {
        members = dictionary.sorted { $0.key < $1.key }.map {
            Member(name: $0.key, value: $0.value.parameterValue)
        }
    }

    /// Creates parameters from the members of an `Encodable` value, in the order in which it encodes them. Dates and
    /// keys have the format of the service's ``WebService/Configuration/jsonEncoding``, by default ISO 8601 and
    /// unchanged keys. If the value doesn't encode an object, or if it throws, the task fails with `.invalidRequest`.
    public init(encoding value: some Encodable) {
        switch ParameterEncoder.value(of: value).form {
        case .object(let parameters): self = parameters
        case .invalid(let reason): members = [Member(name: "", value: .invalid(reason))]
        default:
            members = [Member(name: "", value: .invalid("\(type(of: value)) can't be encoded as an object"))]
        }
    }

    /// Whether there are no parameters.
    public var isEmpty: Bool { members.isEmpty }

    /// The first value with a name. Setting a value replaces all values with this name. Setting `nil` removes them.
    public subscript(name: String) -> (any ParameterConvertible)? {
        get { members.first { $0.name == name }?.value }
        set {
            guard let newValue else { return members.removeAll { $0.name == name } }
            let value = newValue.parameterValue
            guard let first = members.firstIndex(where: { $0.name == name }) else {
                return members.append(Member(name: name, value: value))
            }
            members[first].value = value
            members[(first + 1)...].removeAll { $0.name == name }
        }
    }

    /// Adds a parameter at the end, even if another parameter has the same name.
    public mutating func append(_ value: (any ParameterConvertible)?, for name: String) {
        members.append(Member(name: name, value: value?.parameterValue ?? .null))
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters from a literal, in the order in which they are written.
    public init(dictionaryLiteral elements: (String, (any ParameterConvertible)?)...) {
        members = elements.map { Member(name: $0.0, value: $0.1?.parameterValue ?? .null) }
    }
}
