/// A request's parameters: names with values, sent in the order they were written.
///
/// ```swift
/// GET("/stores", parameters: ["zip": zipCode, "radius": 10, "open": true])
/// ```
///
/// `GET` and `HEAD` send them in the query, every other method in the body, as the request's
/// ``ParameterEncoding`` says. A value that can't be sent, such as a number that is not finite, ends the task
/// with `.invalidRequest`; nothing is dropped silently.
public struct Parameters: Sendable, Hashable {
    var members: [Member] = []

    struct Member: Sendable, Hashable {
        var name: String
        var value: ParameterValue
        /// Whether the name is an `Encodable`'s, which a key strategy may change.
        var isCodingKey = false
    }

    init(members: [Member]) {
        self.members = members
    }

    /// Makes parameters without a member.
    public init() {}

    /// Makes parameters from a dictionary, in the order of its keys.
    public init(_ dictionary: [String: any ParameterConvertible]) {
        members = dictionary.sorted { $0.key < $1.key }.map {
            Member(name: $0.key, value: $0.value.parameterValue)
        }
    }

    /// Makes parameters from the members that `value` encodes, in the order it encodes them.
    ///
    /// Dates and keys are written as the service's ``Configuration/jsonEncoding`` says, by default in ISO 8601 and
    /// unchanged. A value that doesn't encode as an object, or that fails to encode, ends the task with
    /// `.invalidRequest`.
    public init(encoding value: some Encodable) {
        switch ParameterEncoder.value(of: value).form {
        case .object(let parameters): self = parameters
        case .invalid(let reason): members = [Member(name: "", value: .invalid(reason))]
        default:
            members = [Member(name: "", value: .invalid("\(type(of: value)) doesn't encode as an object"))]
        }
    }

    /// Whether there is no parameter.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of a name; nil where there is none.
    ///
    /// Setting a value replaces those of that name, in the place of the first; nil removes them.
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

    /// Adds a parameter after those that are there, also when one has its name.
    public mutating func append(_ value: (any ParameterConvertible)?, for name: String) {
        members.append(Member(name: name, value: value?.parameterValue ?? .null))
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Makes parameters in the order written.
    public init(dictionaryLiteral elements: (String, (any ParameterConvertible)?)...) {
        members = elements.map { Member(name: $0.0, value: $0.1?.parameterValue ?? .null) }
    }
}
