import Foundation

/// A value that can be sent as a parameter.
///
/// An enum with a raw value only declares the conformance. Other types convert themselves to a type that conforms:
///
/// ```swift
/// enum Order: String, ParameterConvertible { case distance, name }
///
/// extension Coordinate: ParameterConvertible {
///     var parameterValue: ParameterValue { "\(latitude),\(longitude)".parameterValue }
/// }
/// ```
public protocol ParameterConvertible: Sendable {
    /// The value that a request sends.
    var parameterValue: ParameterValue { get }
}

/// The value of a parameter. To create one, read the `parameterValue` of another value, such as a `String`.
public struct ParameterValue: Sendable, Hashable, ParameterConvertible {
    let form: Form

    enum Form: Sendable, Hashable {
        case null
        /// A `nil` property of an `Encodable` value. A JSON object omits it, as `JSONEncoder` does.
        case absent
        case bool(Bool)
        /// A number in the format of RFC 8259 §6.
        case number(String)
        case string(String)
        /// A date in seconds since 2001. It isn't a `Date`, because the description of a very distant date traps.
        case date(TimeInterval)
        case array([ParameterValue])
        case object(Parameters)
        case invalid(String)
    }

    /// The value itself.
    public var parameterValue: ParameterValue { self }

    static let null = ParameterValue(form: .null)
    static let absent = ParameterValue(form: .absent)
    static func number(_ text: String) -> ParameterValue { ParameterValue(form: .number(text)) }
    static func string(_ text: String) -> ParameterValue { ParameterValue(form: .string(text)) }
    static func list(_ values: [ParameterValue]) -> ParameterValue { ParameterValue(form: .array(values)) }
    static func object(_ members: Parameters) -> ParameterValue { ParameterValue(form: .object(members)) }
    static func invalid(_ reason: String) -> ParameterValue { ParameterValue(form: .invalid(reason)) }

    static func precedes(_ left: ParameterValue, _ right: ParameterValue) -> Bool {
        switch (left.form, right.form) {
        case (.number(let left), .number(let right)): (Double(left) ?? 0, left) < (Double(right) ?? 0, right)
        case (.string(let left), .string(let right)): left < right
        case (.date(let left), .date(let right)): left < right
        default: "\(left)" < "\(right)"
        }
    }
}

extension ParameterConvertible where Self: RawRepresentable, RawValue: ParameterConvertible {
    /// The value that is sent for the raw value.
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
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension Int128: ParameterConvertible {}
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension UInt128: ParameterConvertible {}

extension ParameterConvertible where Self: BinaryFloatingPoint & CustomStringConvertible {
    /// The number's `description`, which reads back as the same value. Infinity and NaN can't be sent.
    public var parameterValue: ParameterValue {
        isFinite ? .number(description) : .invalid("\(self) is not a finite number")
    }
}

extension Double: ParameterConvertible {}
extension Float: ParameterConvertible {}
extension CGFloat: ParameterConvertible {}
#if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
    extension Float16: ParameterConvertible {}
#endif
#if arch(x86_64) && !os(Windows) && !os(Android)
    extension Float80: ParameterConvertible {}
#endif

extension Decimal: ParameterConvertible {
    /// The number in decimal digits. NaN can't be sent.
    public var parameterValue: ParameterValue {
        isNaN ? .invalid("NaN is not a finite number") : .number(description)
    }
}

extension Bool: ParameterConvertible {
    /// `true` or `false` in JSON. In percent encoding, it is `1` or `0` by default.
    public var parameterValue: ParameterValue { ParameterValue(form: .bool(self)) }
}

extension ParameterConvertible where Self: StringProtocol {
    /// The text itself.
    public var parameterValue: ParameterValue { .string(String(self)) }
}

extension String: ParameterConvertible {}
extension Substring: ParameterConvertible {}

extension UUID: ParameterConvertible {
    /// The UUID as `uuidString` spells it.
    public var parameterValue: ParameterValue { .string(uuidString) }
}

extension URL: ParameterConvertible {
    /// The absolute URL.
    public var parameterValue: ParameterValue { .string(absoluteString) }
}

extension Date: ParameterConvertible {
    /// The date in the format of the service's ``WebService/Configuration/jsonEncoding``. By default, this is ISO 8601
    /// in UTC, without fractions of a second (RFC 3339 §5.6). It can express only the years 1 to 9999.
    public var parameterValue: ParameterValue { ParameterValue(form: .date(timeIntervalSinceReferenceDate)) }
}

extension Optional: ParameterConvertible where Wrapped: ParameterConvertible {
    /// The wrapped value. A `nil` is `null` in JSON. In percent encoding, it is omitted by default.
    public var parameterValue: ParameterValue { self?.parameterValue ?? .null }
}

extension Array: ParameterConvertible where Element: ParameterConvertible {
    /// The elements in order.
    public var parameterValue: ParameterValue { .list(map(\.parameterValue)) }
}

extension ParameterConvertible where Self == ParameterValue {
    /// Returns a list with values of several types, which an array literal can't express: `.array("a", 1, true)`.
    public static func array(_ elements: (any ParameterConvertible)?...) -> ParameterValue {
        .list(elements.map { $0?.parameterValue ?? .null })
    }
}

extension Set: ParameterConvertible where Element: ParameterConvertible {
    /// The elements, sorted by the values that are sent.
    public var parameterValue: ParameterValue {
        .list(map(\.parameterValue).sorted(by: ParameterValue.precedes))
    }
}

extension Dictionary: ParameterConvertible where Key == String, Value: ParameterConvertible {
    /// The members, sorted by key.
    public var parameterValue: ParameterValue { .object(Parameters(self)) }
}

extension Parameters: ParameterConvertible {
    /// The members in order.
    public var parameterValue: ParameterValue { .object(self) }
}
