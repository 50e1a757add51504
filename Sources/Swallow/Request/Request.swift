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
    var problem: Problem?

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

    struct Problem {
        let reason: ServiceError.Reason
        let description: String
    }

    func error(
        _ reason: ServiceError.Reason, _ description: String, underlying: (any Error)? = nil
    ) -> ServiceError {
        ServiceError(reason, detail: description, request: self, underlying: underlying)
    }
}
