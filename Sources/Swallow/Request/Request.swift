import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request that a service will send. It is a pure value, and ``urlRequest()`` converts it to a `URLRequest`.
///
/// Services create requests. The service's configuration and the caller's options are applied when a request is
/// created.
public struct Request: Sendable {
    /// The method.
    public let method: Method
    /// The URL that results from the base and the path, before parameters are added to its query.
    public let urlString: String
    /// The parameters. GET and HEAD send them in the query, and every other method sends them in the body.
    public let parameters: Parameters
    /// The format of the parameters.
    package internal(set) var parameterEncoding: ParameterEncoding
    /// The header fields. The configured fields precede the fields of options.
    public internal(set) var headers: Headers
    /// The status codes of a success.
    package internal(set) var acceptableStatusCodes: StatusCodes
    /// The content types of a success with a body, as patterns. `nil` accepts any type.
    package internal(set) var acceptableContentTypes: [String]?
    /// The maximum time from `resume()` to the last byte, or `nil` if only the data source limits it. The value is from
    /// the request's option or, without an option, from ``WebService/Configuration/timeout``.
    public internal(set) var timeout: Duration?
    /// Whether the request is sent again, how often, and after which delay.
    package internal(set) var retry: RetryPolicy
    /// How the caches of the pipeline's stages take part.
    package internal(set) var cachePolicy: CachePolicy
    /// Whether the transport stores and sends cookies.
    package internal(set) var handlesCookies = true
    /// The request's redirect policy, or `nil` for the data source's policy.
    var redirects: RedirectPolicy?
    /// Whether caches may serve responses that the server wants validated first. See
    /// ``WebService/Configuration/ignoresServerCacheRules``.
    package internal(set) var ignoresServerCacheRules: Bool

    /// How values become JSON in the body, and how dates and coding keys are written in parameters.
    package var jsonEncoding: JSON.EncodingOptions { conventions.jsonCoding.encoding }
    /// How the response's JSON becomes values.
    package var jsonDecoding: JSON.DecodingOptions { conventions.jsonCoding.decoding }

    let conventions: Conventions
    /// The parameters that options add to the query.
    var query = Parameters()
    /// The sources of the body. A valid request has at most one.
    var bodies: [Body]
    /// Whether the body is sent compressed.
    var compressesBody = false
    /// The place where the body of a success is stored, or `nil` for memory.
    var download: Download?
    let adapters: [Adapter]
    /// The source of the request's credential.
    let credentials: (any CredentialSource)?
    /// The first problem with the caller's input.
    var problem: Problem?

    /// A configured closure that changes the request.
    enum Adapter: Sendable {
        case now(@Sendable (inout URLRequest) throws -> Void)
        case later(@Sendable (inout URLRequest) async throws -> Void)
    }

    /// A body that is stored in a file.
    struct Download: Sendable {
        enum Place: Sendable {
            case file(URL)
            /// A new file in a folder.
            case folder(URL)
            case temporary
        }

        let place: Place
        /// Whether the download resumes an incomplete download.
        var resumes = false
        /// Whether missing folders are created.
        var createsFolders = false
    }

    /// The settings that all requests of a service share. It is an object, because requests are copied.
    final class Conventions: Sendable {
        let jsonCoding: JSONCoding
        /// The `Accept` field for requests that have no such field. It is a dictionary, because most requests have no
        /// other field.
        let defaultFields: [String: String]
        /// The rules for secrets in the texts of errors.
        let logRedaction: LogRedaction
        /// Returns the app's message for an error.
        let userMessage: (@Sendable (ServiceError) -> String?)?
        /// Whether a stage of the pipeline has a cache.
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

        /// The option that sets the body, for errors.
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
