// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Declarations of Apple's Foundation that Foundation for Linux lacks or declares differently. Only the declarations
// that the package uses are here. They have the signatures of Apple's documentation and no bodies.

@_exported import DarwinTypes

// MARK: - Requests

extension NSURLRequest {
    public enum Attribution: UInt, Sendable { case developer, user }
}

extension URLRequest {
    public typealias Attribution = NSURLRequest.Attribution
    public var allowsExpensiveNetworkAccess: Bool {
        get { absent() }
        set { absent() }
    }
    public var allowsConstrainedNetworkAccess: Bool {
        get { absent() }
        set { absent() }
    }
    public var assumesHTTP3Capable: Bool {
        get { absent() }
        set { absent() }
    }
    public var attribution: Attribution {
        get { absent() }
        set { absent() }
    }
}

public protocol URLSessionDataDelegate: FoundationNetworking.URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void)
}

extension URLSessionDataDelegate {
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
        completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) { absent() }
}

extension URLSessionTaskTransactionMetrics {
    public var remotePort: Int? { absent() }
}

// MARK: - Data

extension NSData {
    public enum CompressionAlgorithm: Int, Sendable { case lzfse, lz4, lzma, zlib }
    open func compressed(using algorithm: CompressionAlgorithm) throws -> Self { absent() }
}

// MARK: - Streams

extension Stream {
    // On Apple platforms the pointers are autoreleasing. They are passed in the same way.
    public class func getBoundStreams(
        withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?,
        outputStream: UnsafeMutablePointer<OutputStream?>?
    ) { absent() }
}

// On Apple platforms, both types are toll-free bridged.
public typealias CFWriteStream = OutputStream
public func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream!, _ queue: DispatchQueue!) { absent() }

// MARK: - Memory

public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {}

extension DispatchSource {
    public struct MemoryPressureEvent: OptionSet, RawRepresentable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { absent() }
        public static var normal: MemoryPressureEvent { absent() }
        public static var warning: MemoryPressureEvent { absent() }
        public static var critical: MemoryPressureEvent { absent() }
    }
    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure { absent() }
}

// MARK: - JSON

open class JSONDecoder: @unchecked Sendable {
    public enum DateDecodingStrategy: Sendable {
        case deferredToDate, secondsSince1970, millisecondsSince1970, iso8601
        case formatted(DateFormatter)
        @preconcurrency case custom(@Sendable (_ decoder: any Decoder) throws -> Date)
    }
    public enum DataDecodingStrategy: Sendable {
        case deferredToData, base64
        @preconcurrency case custom(@Sendable (_ decoder: any Decoder) throws -> Data)
    }
    public enum NonConformingFloatDecodingStrategy: Sendable {
        case `throw`
        case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
    public enum KeyDecodingStrategy: Sendable {
        case useDefaultKeys, convertFromSnakeCase
        @preconcurrency case custom(@Sendable (_ codingPath: [any CodingKey]) -> any CodingKey)
    }
    public init() {}
    open var dateDecodingStrategy: DateDecodingStrategy {
        get { absent() }
        set { absent() }
    }
    open var dataDecodingStrategy: DataDecodingStrategy {
        get { absent() }
        set { absent() }
    }
    open var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy {
        get { absent() }
        set { absent() }
    }
    open var keyDecodingStrategy: KeyDecodingStrategy {
        get { absent() }
        set { absent() }
    }
    open var userInfo: [CodingUserInfoKey: any Sendable] {
        get { absent() }
        set { absent() }
    }
    open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { absent() }
}

open class JSONEncoder: @unchecked Sendable {
    public enum DateEncodingStrategy: Sendable {
        case deferredToDate, secondsSince1970, millisecondsSince1970, iso8601
        case formatted(DateFormatter)
        @preconcurrency case custom(@Sendable (_ date: Date, _ encoder: any Encoder) throws -> Void)
    }
    public enum DataEncodingStrategy: Sendable {
        case deferredToData, base64
        @preconcurrency case custom(@Sendable (_ data: Data, _ encoder: any Encoder) throws -> Void)
    }
    public enum NonConformingFloatEncodingStrategy: Sendable {
        case `throw`
        case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
    public enum KeyEncodingStrategy: Sendable {
        case useDefaultKeys, convertToSnakeCase
        @preconcurrency case custom(@Sendable (_ codingPath: [any CodingKey]) -> any CodingKey)
    }
    public struct OutputFormatting: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var prettyPrinted: OutputFormatting { absent() }
        public static var sortedKeys: OutputFormatting { absent() }
        public static var withoutEscapingSlashes: OutputFormatting { absent() }
    }
    public init() {}
    open var outputFormatting: OutputFormatting {
        get { absent() }
        set { absent() }
    }
    open var dateEncodingStrategy: DateEncodingStrategy {
        get { absent() }
        set { absent() }
    }
    open var dataEncodingStrategy: DataEncodingStrategy {
        get { absent() }
        set { absent() }
    }
    open var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy {
        get { absent() }
        set { absent() }
    }
    open var keyEncodingStrategy: KeyEncodingStrategy {
        get { absent() }
        set { absent() }
    }
    open var userInfo: [CodingUserInfoKey: any Sendable] {
        get { absent() }
        set { absent() }
    }
    open func encode<T: Encodable>(_ value: T) throws -> Data { absent() }
}
