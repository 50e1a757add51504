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
        /// Sends a body that is read meanwhile; the content type goes into `Content-Type` unless one was set.
        indirect case streamedBody(RequestBody, contentType: String)
        /// Sends a form's fields and files; see `multipart`.
        case multipartForm(MultipartForm)
        /// Sends the body compressed by gzip (RFC 9110 §8.4.1.3), with `Content-Encoding: gzip` and its length. Without a body it
        /// does nothing. The body is compressed once, when the request is encoded, so `adaptRequest`, redirects and retries get
        /// the compressed bytes.
        ///
        /// The body has to be in memory. A body from a file or a stream, a `Content-Encoding` of its own, and a system without
        /// zlib end the task with `.invalidRequest`.
        ///
        /// Few servers take compressed requests; one that doesn't answers 415 (RFC 9110 §15.5.16).
        case compressed
        /// What a cache of the transport's own may do.
        case cachePolicy(URLRequest.CachePolicy)
        /// The time from `resume()` to the last byte, everything included; then the task ends with `.timedOut`.
        case timeout(Duration)
        /// Whether the request is sent again, how often, and after how long.
        case retry(RetryPolicy)
        /// Whether the transport stores and sends cookies.
        case handlesCookies(Bool)
        /// How redirects of this request are handled, in place of the data source's policy (RFC 9110 §15.4).
        ///
        /// ```swift
        /// service.GET("/moved", options: [.redirects(.doNotFollow), .acceptStatusCodes([200..<300, 302])])
        /// ```
        ///
        /// The option works over Swallow's data sources, also under data source adapters. If the data source follows redirects
        /// itself, the task fails with `.invalidRequest`. A `URLSession` sends nothing in this case. A data source of your own
        /// that follows redirects itself is recognized when the head of its response arrives.
        case redirects(RedirectPolicy)
        /// How the caches of the pipeline's stages take part in a GET, where it has any.
        case entityCaching(EntityCaching)
        /// Whether the caches may answer with what the server wants to be asked about first; see
        /// ``Configuration/ignoresServerCacheRules``.
        case ignoresServerCacheRules(Bool)
        /// The status codes that are a success.
        case acceptStatusCodes(StatusCodes)
        /// The content types of a success with a body, as patterns such as `*/*+json`; any other ends in
        /// `.contentMismatch`.
        case acceptContentTypes([String])
        /// Puts the body of a success into a file, in constant memory, in place of one that has its name.
        ///
        /// It is written beside the target and renamed when it is whole, so that the target is whole or absent, also when
        /// the process is killed. The task's content is the target's URL; `responseJSON` and the like read the file.
        /// HEAD, a target that is no file's URL, and one that is there and no regular file (a folder, a link, a device) end
        /// the task with `.invalidRequest`; what the file system refuses ends it with `.transport`.
        ///
        /// - `resumes`: whether a download that ends early leaves its part, named after the target with the ending
        ///   `.swallow-part`, to be continued by the next download of the same URL to the same target, if the server still
        ///   has the same bytes: by `Range` and `If-Range` with a strong validator (RFC 9110 §8.8.1, §13.1.5, §14). It asks
        ///   for no content coding. Only GET can resume; a second task on a part that is being written ends with
        ///   `.invalidRequest`. False by default: then each download has a part of its own, and the last one wins.
        /// - `createsFolders`: whether the target's folder is made, with those that it is in, where it is missing; false by
        ///   default.
        case download(to: URL, resumes: Bool = false, createsFolders: Bool = false)
        /// Puts the body of a success into a new file of a folder; see `download(into:createsFolders:)`.
        case newDownload(in: URL, createsFolders: Bool)
        /// Puts the body of a success into a new file with a name of its own in the system's temporary folder.
        ///
        /// The name ends as the one that the response suggests. The task's content is the file's URL; move the file, or remove
        /// it.
        case temporaryDownload
    }
}

extension Request.Option {
    /// Adds a dictionary in a variable to the query, in the order of its keys.
    @_disfavoredOverload
    public static func query(_ dictionary: [String: any ParameterConvertible]) -> Self {
        .query(Parameters(dictionary))
    }
}

// MARK: - Downloads

extension Request.Option {
    /// Puts the body of a success into a new file of a folder, in constant memory, with the name that the response suggests.
    ///
    /// The name is that of `Content-Disposition` (RFC 6266 §4.3), else the last part of the URL's path, else `download`;
    /// whatever it is, it becomes the name of a visible file in this very folder. No file is replaced: where the name is
    /// taken, a number is added. The task's content is the file's URL. It can't be resumed by another task, since the name
    /// isn't known before.
    ///
    /// - Parameters:
    ///   - folder: the file's folder; any other URL than a file's ends the task with `.invalidRequest`.
    ///   - createsFolders: whether it is made, with those that it is in, where it is missing; false by default.
    public static func download(into folder: URL, createsFolders: Bool = false) -> Self {
        .newDownload(in: folder, createsFolders: createsFolders)
    }
}

// MARK: - Bodies that are read while they are sent

extension Request.Option {
    /// Sends a file's bytes, read while they are sent. What is no file, or changes its length meanwhile, ends the task
    /// with `.invalidRequest`.
    ///
    /// - Parameters:
    ///   - file: where it is.
    ///   - contentType: goes into `Content-Type` unless one was set; by default the one of the file's extension, else
    ///     `application/octet-stream`.
    public static func body(file: URL, contentType: String? = nil) -> Self {
        .streamedBody(.file(file), contentType: contentType ?? FileContentType.of(file))
    }

    /// Sends the bytes of a stream that can be opened anew, for a redirect or a retry.
    ///
    /// - Parameters:
    ///   - open: gives a stream that isn't open yet; called for each sending, on a thread that may wait.
    ///   - length: how many bytes it has; nil, the default, is unknown, and then the body goes out in chunks.
    ///   - contentType: goes into `Content-Type` unless one was set.
    public static func body(
        stream open: @escaping @Sendable () throws -> InputStream, length: Int64? = nil,
        contentType: String = "application/octet-stream"
    ) -> Self {
        .streamedBody(.stream(length: length, open: open), contentType: contentType)
    }

    /// Sends the parts of an asynchronous sequence as they come, once; the response may come meanwhile.
    ///
    /// - Parameters:
    ///   - parts: iterated when the task runs, and asked for the next part when there is room for it.
    ///   - length: how many bytes they have together; nil, the default, is unknown, and then they go out in chunks.
    ///   - contentType: goes into `Content-Type` unless one was set.
    ///   - trailers: gives the fields that follow the last part (RFC 9110 §6.5), over HTTP/1.1.
    public static func body<Parts: AsyncSequence & Sendable>(
        stream parts: Parts, length: Int64? = nil, contentType: String = "application/octet-stream",
        trailers: (@Sendable () async throws -> Headers)? = nil
    ) -> Self where Parts.Element == Data {
        .streamedBody(.parts(parts, length: length, trailers: trailers), contentType: contentType)
    }

    /// Sends a form's fields and files as `multipart/form-data` (RFC 7578), read while they are sent.
    ///
    /// - Parameter build: adds the fields; called at once.
    public static func multipart(_ build: (inout MultipartForm) throws -> Void) rethrows -> Self {
        var form = MultipartForm()
        try build(&form)
        return .multipartForm(form)
    }
}
