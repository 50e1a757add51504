import Foundation

/// A description of a request that a service sends. It contains the values of the service's configuration and of the
/// caller's options. ``urlRequest()`` converts it to a `URLRequest`.
public struct Request: Sendable {
    /// The HTTP method.
    public let method: Method
    /// The URL, before parameters are added to its query.
    public let urlString: String
    /// The parameters. GET and HEAD send them in the query, and every other method sends them in the body.
    public let parameters: Parameters
    package internal(set) var parameterEncoding: ParameterEncoding
    /// The header fields from the configuration and the options.
    public internal(set) var headers: Headers
    package internal(set) var acceptableStatusCodes: StatusCodes
    package internal(set) var acceptableContentTypes: [String]?
    /// The timeout of the task, or `nil` if only the data source's timeout applies.
    public internal(set) var timeout: Duration?
    package internal(set) var retry: RetryPolicy
    package internal(set) var cachePolicy: CachePolicy
    package internal(set) var handlesCookies = true
    var redirects: RedirectPolicy?
    package internal(set) var ignoresServerCacheRules: Bool

    package var jsonEncoding: JSON.EncodingOptions { conventions.jsonCoding.encoding }
    package var jsonDecoding: JSON.DecodingOptions { conventions.jsonCoding.decoding }

    let conventions: Conventions
    var query = Parameters()
    var bodies: [Body]
    var compressesBody = false
    var download: Download?
    let adapters: [Adapter]
    let credentials: (any CredentialSource)?
    var problem: ServiceError?

    enum Adapter: Sendable {
        case now(@Sendable (inout URLRequest) throws -> Void)
        case later(@Sendable (inout URLRequest) async throws -> Void)
    }

    struct Download: Sendable {
        enum Place: Sendable {
            case file(URL)
            case folder(URL)
            case temporary
        }

        let place: Place
        var resumes = false
        var createsFolders = false
    }

    final class Conventions: Sendable {
        let jsonCoding: JSONCoding
        let defaultFields: [String: String]
        let logRedaction: LogRedaction
        let userMessage: (@Sendable (ServiceError) -> String?)?
        let hasCaches: Bool

        init(
            _ jsonCoding: JSONCoding, _ defaultFields: [String: String], _ logRedaction: LogRedaction,
            userMessage: (@Sendable (ServiceError) -> String?)?, hasCaches: Bool
        ) {
            self.jsonCoding = jsonCoding
            self.defaultFields = defaultFields
            self.logRedaction = logRedaction
            self.userMessage = userMessage
            self.hasCaches = hasCaches
        }
    }

    enum Body: Sendable {
        case parameters
        case encodable(EncodableBody)
        case data(Data, contentType: String)
        indirect case streamed(RequestBody, contentType: String)
        indirect case multipart(MultipartForm)

        var owner: String {
            switch self {
            case .parameters: "parameters"
            case .encodable: ".json"
            case .data: ".body"
            case .streamed(let body, _): body.isFile ? ".body(file:)" : ".body(stream:)"
            case .multipart: ".multipart"
            }
        }

        var problem: String? {
            switch self {
            case .data(_, let contentType), .streamed(_, let contentType):
                Headers.problem(of: .contentType, contentType)
            case .multipart(let form): form.problem
            case .parameters, .encodable: nil
            }
        }
    }

    func error(
        _ reason: ServiceError.Reason, _ description: String, underlying: (any Error)? = nil
    ) -> ServiceError {
        ServiceError(reason, detail: description, request: self, underlying: underlying)
    }
}

extension Request {
    /// An HTTP request method. If it isn't a token (RFC 9110 §5.6.2), the task fails with `.invalidRequest`. Names are
    /// case-sensitive, but `get`, `head`, `post`, `put`, `delete` and `options` become upper case (Fetch §2.2.1).
    public struct Method: RawRepresentable, Hashable, Sendable {
        /// The method as it appears in the request line.
        public let rawValue: String

        /// Creates a method from its name, such as `"GET"`.
        public init(rawValue: String) {
            let name = rawValue.uppercased()
            let isNormalized = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"].contains(name)
            self.rawValue = isNormalized ? name : rawValue
        }

        /// Reads a representation (RFC 9110 §9.3.1). Parameters are sent in the query.
        public static let GET = Method(rawValue: "GET")
        /// Reads the head of a representation (RFC 9110 §9.3.2). Parameters are sent in the query.
        public static let HEAD = Method(rawValue: "HEAD")
        /// Sends a body for the resource to process (RFC 9110 §9.3.3).
        public static let POST = Method(rawValue: "POST")
        /// Replaces the representation (RFC 9110 §9.3.4).
        public static let PUT = Method(rawValue: "PUT")
        /// Changes a part of the representation (RFC 5789).
        public static let PATCH = Method(rawValue: "PATCH")
        /// Removes the resource (RFC 9110 §9.3.5).
        public static let DELETE = Method(rawValue: "DELETE")
        /// Requests the communication options of the resource (RFC 9110 §9.3.7).
        public static let OPTIONS = Method(rawValue: "OPTIONS")

        /// Whether the method is GET, HEAD, OPTIONS or TRACE, which request no change (RFC 9110 §9.2.1).
        public var isSafe: Bool { HTTPSyntax.isSafe(rawValue) }

        var sendsParametersInQuery: Bool { self == .GET || self == .HEAD }
    }
}

extension Request.Method: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Creates a method from a literal, such as `"PROPFIND"`.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    /// The method as it appears in the request line.
    public var description: String { rawValue }
}

final class JSONCoding: Sendable {
    let encoding: JSON.EncodingOptions
    let decoding: JSON.DecodingOptions

    init(encoding: JSON.EncodingOptions, decoding: JSON.DecodingOptions) {
        self.encoding = encoding
        self.decoding = decoding
    }

    static let standard = JSONCoding(encoding: JSON.EncodingOptions(), decoding: .standard)
}

/// A value whose encoded bytes are stored, so that each encoding of the request has the same bytes.
final class EncodableBody: Sendable {
    let value: any Encodable & Sendable
    private let encoded = Lock<Data?>(nil)

    init(_ value: any Encodable & Sendable) {
        self.value = value
    }

    func data(_ options: JSON.EncodingOptions) throws -> Data {
        if let data = encoded.withLock({ $0 }) { return data }
        let data = try options.data(of: value)
        return encoded.withLock { encoded in
            let first = encoded ?? data
            encoded = first
            return first
        }
    }
}

extension Request: CustomStringConvertible, CustomReflectable {
    /// The method and the redacted URL with its query, for a log.
    public var description: String {
        "\(method) \(conventions.logRedaction.redactedURL(fullURLString))"
    }

    /// The redacted header fields. Other properties aren't shown, because they may be secret.
    public var customMirror: Mirror {
        let fields = conventions.logRedaction.redacted(headers)
        return Mirror(self, children: fields.map { (label: $0.name.rawValue, value: $0.value) })
    }
}
