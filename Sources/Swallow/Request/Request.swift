import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a service will send: a pure value, turned into a `URLRequest` by ``urlRequest()``.
///
/// Services make requests. The service's configuration and the caller's options are applied when a request is made.
public struct Request: Sendable {
    /// The method.
    public let method: Method
    /// The URL that base and path join to, before parameters are added to its query.
    public let urlString: String
    /// The parameters: in the query for GET and HEAD, in the body for every other method.
    public let parameters: Parameters
    /// How the parameters are written.
    package let parameterEncoding: ParameterEncoding
    /// The header fields: the configured ones, then those of options.
    public internal(set) var headers: Headers
    /// The status codes that are a success.
    package let acceptableStatusCodes: StatusCodes
    /// The content types of a success with a body, as patterns; nil for any.
    package let acceptableContentTypes: [String]?
    /// The time from `resume()` to the last byte, or `nil` if only the data source limits it. The value is that of the
    /// request's option or, without one, that of ``Configuration/timeout``.
    public let timeout: Duration?
    /// Whether it is sent again, how often, and after how long.
    package let retry: RetryPolicy
    /// What a cache of the transport's own may do.
    package let cachePolicy: URLRequest.CachePolicy
    /// Whether the transport stores and sends cookies.
    package let handlesCookies: Bool
    /// How redirects are handled; `nil` for the data source's policy.
    let redirects: RedirectPolicy?
    /// How the caches of the pipeline's stages take part. Only GET reads them.
    package internal(set) var entityCaching: EntityCaching
    /// Whether caches may use a response that the server wants validated first; see
    /// ``Configuration/ignoresServerCacheRules``.
    package let ignoresServerCacheRules: Bool

    /// How values become JSON in the body, and how dates and coding keys are written in parameters.
    package var jsonEncoding: JSON.EncodingOptions { conventions.jsonCoding.encoding }
    /// How the response's JSON becomes values.
    package var jsonDecoding: JSON.DecodingOptions { conventions.jsonCoding.decoding }

    let conventions: Conventions
    let query: Parameters
    let body: Body?
    /// Whether the body is sent compressed.
    let compressesBody: Bool
    /// Where the body of a success goes; nil for memory.
    let download: Download?
    let adapters: [Adapter]
    /// What authorizes it.
    let credentials: (any CredentialSource)?
    /// The first thing that is wrong with what the caller gave.
    let problem: Problem?

    /// A closure of the configuration's that completes the request.
    enum Adapter: Sendable {
        case now(@Sendable (inout URLRequest) throws -> Void)
        case later(@Sendable (inout URLRequest) async throws -> Void)
    }

    /// A body that goes to a file.
    struct Download: Sendable {
        enum Place: Sendable {
            case file(URL)
            /// A new file in a folder.
            case folder(URL)
            case temporary
        }

        let place: Place
        /// Whether it goes on from where another has ended.
        var resumes = false
        /// Whether missing folders are made.
        var createsFolders = false
    }

    /// What all requests of a service have in common. An object, as requests are copied.
    final class Conventions: Sendable {
        let jsonCoding: JSONCoding
        /// `Accept`, where neither headers nor an option have one. A dictionary, as most requests have nothing else.
        let defaultFields: [String: String]
        /// What is secret in the texts of errors.
        let logRedaction: LogRedaction
        /// The app's words for an error.
        let userMessage: (@Sendable (ServiceError) -> String?)?

        init(
            _ jsonCoding: JSONCoding, _ defaultFields: [String: String], _ logRedaction: LogRedaction,
            userMessage: (@Sendable (ServiceError) -> String?)?
        ) {
            self.jsonCoding = jsonCoding
            self.defaultFields = defaultFields
            self.logRedaction = logRedaction
            self.userMessage = userMessage
        }
    }

    enum Body: Sendable {
        case parameters
        case encodable(EncodableBody)
        case data(Data, contentType: String)
        indirect case streamed(RequestBody, contentType: String)
        indirect case multipart(MultipartForm)

        /// Where the body comes from, for errors.
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
