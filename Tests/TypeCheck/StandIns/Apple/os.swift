// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import AppleFoundation

public struct OSLogType: Equatable, RawRepresentable, Sendable {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { absent() }
    public static var `default`: OSLogType { absent() }
    public static var info: OSLogType { absent() }
    public static var debug: OSLogType { absent() }
    public static var error: OSLogType { absent() }
    public static var fault: OSLogType { absent() }
}

public struct OSLogPrivacy: Sendable {
    public static var `public`: OSLogPrivacy { absent() }
    public static var `private`: OSLogPrivacy { absent() }
    public static var sensitive: OSLogPrivacy { absent() }
    public static var auto: OSLogPrivacy { absent() }
}

public struct OSLogStringAlignment {
    public static var none: OSLogStringAlignment { absent() }
}

public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) { absent() }
    public mutating func appendLiteral(_ literal: String) { absent() }
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure @escaping () -> String, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) { absent() }
}

public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral {
    public init(stringInterpolation: OSLogInterpolation) { absent() }
    public init(stringLiteral value: String) { absent() }
}

public struct Logger: @unchecked Sendable {
    public init() { absent() }
    public init(subsystem: String, category: String) { absent() }
    public func log(level: OSLogType, _ message: OSLogMessage) { absent() }
    public func debug(_ message: OSLogMessage) { absent() }
    public func info(_ message: OSLogMessage) { absent() }
    public func error(_ message: OSLogMessage) { absent() }
}
