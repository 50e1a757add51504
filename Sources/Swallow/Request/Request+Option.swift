import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Request {
    /// What one request does differently from its service's configuration.
    ///
    /// Of several options that set the same thing, the last one counts; `query` parameters add up. Two owners of
    /// the body (parameters and `json`, say), or a body on GET or HEAD, end the task with `.invalidRequest`.
    public enum Option: Sendable {
        /// How the parameters are written.
        case parameterEncoding(ParameterEncoding)
        /// Sets a header field, in place of a configured one of that name.
        case header(Headers.Name, String)
        /// Adds parameters to the query, whatever the method.
        case query(Parameters)
        /// Sends a value as JSON, encoded as the service's ``Configuration/jsonEncoding`` says; its `Content-Type` is
        /// `application/json` unless one was set.
        case json(any Encodable & Sendable)
        /// Sends these bytes; the content type goes into `Content-Type` unless one was set.
        case body(Data, contentType: String)
        /// What a cache of the transport's own may do.
        case cachePolicy(URLRequest.CachePolicy)
        /// The time from `resume()` to the last byte, everything included; then the task ends with `.timedOut`.
        case timeout(Duration)
        /// Whether the transport stores and sends cookies.
        case handlesCookies(Bool)
        /// How the caches of the pipeline's stages take part in a GET, where it has any.
        case entityCaching(EntityCaching)
        /// Whether they may give what the server wants to be asked about first; see
        /// ``Configuration/ignoresServerCacheRules``.
        case ignoresServerCacheRules(Bool)
        /// The status codes that are a success.
        case acceptStatusCodes(StatusCodes)
        /// The content types of a success with a body, as patterns such as `*/*+json`; any other ends in
        /// `.contentMismatch`.
        case acceptContentTypes([String])
    }
}

extension Request.Option {
    /// Adds a dictionary in a variable to the query, in the order of its keys.
    @_disfavoredOverload
    public static func query(_ dictionary: [String: any ParameterConvertible]) -> Self {
        .query(Parameters(dictionary))
    }
}
