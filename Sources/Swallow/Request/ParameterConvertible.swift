import Foundation

/// A value that can be sent as a parameter.
///
/// Enums with a raw value declare the conformance and get it for free; other types name one that has it:
///
/// ```swift
/// enum Order: String, ParameterConvertible { case distance, name }
///
/// extension Coordinate: ParameterConvertible {
///     var parameterValue: ParameterValue { "\(latitude),\(longitude)".parameterValue }
/// }
/// ```
public protocol ParameterConvertible: Sendable {
    /// The value as parameters hold it.
    var parameterValue: ParameterValue { get }
}

/// What a parameter's value comes to, whatever its Swift type; made by the types that ``ParameterConvertible``
/// lists, and by every type of your own in terms of those.
public struct ParameterValue: Sendable, Hashable, ParameterConvertible {
    let form: Form

    indirect enum Form: Sendable, Hashable {
        case null
        case bool(Bool)
        /// A number in the spelling of RFC 8259 §6.
        case number(String)
        case string(String)
        case array([ParameterValue])
        case object(Parameters)
        /// A value that can't be sent, and why.
        case invalid(String)
    }

    /// The value itself.
    public var parameterValue: ParameterValue { self }

    static let null = ParameterValue(form: .null)
    static func number(_ text: String) -> ParameterValue { ParameterValue(form: .number(text)) }
    static func string(_ text: String) -> ParameterValue { ParameterValue(form: .string(text)) }
    static func array(_ values: [ParameterValue]) -> ParameterValue { ParameterValue(form: .array(values)) }
    static func object(_ members: Parameters) -> ParameterValue { ParameterValue(form: .object(members)) }
    static func invalid(_ reason: String) -> ParameterValue { ParameterValue(form: .invalid(reason)) }

    /// A finite number's value; one without a decimal form is invalid.
    static func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> ParameterValue {
        value.isFinite ? .number(value.description) : .invalid("\(value) is not a finite number")
    }
}

extension ParameterConvertible where Self: RawRepresentable, RawValue: ParameterConvertible {
    /// The raw value's form.
    public var parameterValue: ParameterValue { rawValue.parameterValue }
}

extension ParameterConvertible where Self: BinaryInteger {
    /// The number in decimal digits.
    public var parameterValue: ParameterValue { .number(String(self)) }
}

extension Int: ParameterConvertible {}
extension Int8: ParameterConvertible {}
extension Int16: ParameterConvertible {}
extension Int32: ParameterConvertible {}
extension Int64: ParameterConvertible {}
extension UInt: ParameterConvertible {}
extension UInt8: ParameterConvertible {}
extension UInt16: ParameterConvertible {}
extension UInt32: ParameterConvertible {}
extension UInt64: ParameterConvertible {}

extension Double: ParameterConvertible {
    /// The shortest decimal form that reads back the same; infinities and NaN can't be sent.
    public var parameterValue: ParameterValue { .number(self) }
}

extension Float: ParameterConvertible {
    /// The shortest decimal form that reads back the same; infinities and NaN can't be sent.
    public var parameterValue: ParameterValue { .number(self) }
}

extension Decimal: ParameterConvertible {
    /// The number in decimal digits; NaN can't be sent.
    public var parameterValue: ParameterValue {
        isNaN ? .invalid("NaN is not a finite number") : .number(description)
    }
}

extension Bool: ParameterConvertible {
    /// `1` or `0`, `true` or `false`, as the encoding says.
    public var parameterValue: ParameterValue { ParameterValue(form: .bool(self)) }
}

extension String: ParameterConvertible {
    /// The text itself.
    public var parameterValue: ParameterValue { .string(self) }
}

extension Substring: ParameterConvertible {
    /// The text itself.
    public var parameterValue: ParameterValue { .string(String(self)) }
}

extension UUID: ParameterConvertible {
    /// The UUID as `uuidString` spells it.
    public var parameterValue: ParameterValue { .string(uuidString) }
}

extension URL: ParameterConvertible {
    /// The absolute URL.
    public var parameterValue: ParameterValue { .string(absoluteString) }
}

extension Date: ParameterConvertible {
    /// The instant in ISO 8601 (RFC 3339 §5.6), in UTC, to the second.
    public var parameterValue: ParameterValue { .string(formatted(.iso8601)) }
}

extension Optional: ParameterConvertible where Wrapped: ParameterConvertible {
    /// The value, or what the encoding makes of nil: by default percent encoding drops the parameter, and
    /// JSON has `null`.
    public var parameterValue: ParameterValue { self?.parameterValue ?? .null }
}

extension Array: ParameterConvertible where Element: ParameterConvertible {
    /// The elements in order.
    public var parameterValue: ParameterValue { .array(map(\.parameterValue)) }
}

extension Set: ParameterConvertible where Element: ParameterConvertible & Comparable {
    /// The elements in ascending order.
    public var parameterValue: ParameterValue { .array(sorted().map(\.parameterValue)) }
}

extension Dictionary: ParameterConvertible where Key == String, Value: ParameterConvertible {
    /// The members in the order of their keys.
    public var parameterValue: ParameterValue { .object(Parameters(self)) }
}

extension Parameters: ParameterConvertible {
    /// The members in order.
    public var parameterValue: ParameterValue { .object(self) }
}
