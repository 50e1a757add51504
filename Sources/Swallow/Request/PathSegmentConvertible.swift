import Foundation

/// A value that can be one segment of a `Request.Path`.
///
/// A type with a raw value, such as an enum, only declares the conformance:
///
/// ```swift
/// enum Feed: String, PathSegmentConvertible { case top, new }
/// ```
public protocol PathSegmentConvertible {
    /// The segment's text, before percent encoding.
    var pathSegment: String { get }
}

extension PathSegmentConvertible where Self: RawRepresentable, RawValue: PathSegmentConvertible {
    /// The raw value as a segment.
    public var pathSegment: String { rawValue.pathSegment }
}

extension PathSegmentConvertible where Self: BinaryInteger {
    /// The number in decimal digits.
    public var pathSegment: String { String(self) }
}

extension PathSegmentConvertible where Self: StringProtocol {
    /// The text itself.
    public var pathSegment: String { String(self) }
}

extension String: PathSegmentConvertible {}
extension Substring: PathSegmentConvertible {}

extension UUID: PathSegmentConvertible {
    /// The UUID as `uuidString` spells it.
    public var pathSegment: String { uuidString }
}

extension Int: PathSegmentConvertible {}
extension Int8: PathSegmentConvertible {}
extension Int16: PathSegmentConvertible {}
extension Int32: PathSegmentConvertible {}
extension Int64: PathSegmentConvertible {}
extension UInt: PathSegmentConvertible {}
extension UInt8: PathSegmentConvertible {}
extension UInt16: PathSegmentConvertible {}
extension UInt32: PathSegmentConvertible {}
extension UInt64: PathSegmentConvertible {}
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension Int128: PathSegmentConvertible {}
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension UInt128: PathSegmentConvertible {}
