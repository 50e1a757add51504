import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Request {
    /// A difference between one request and its service's configuration.
    ///
    /// If several options set the same value, the last one counts. The parameters of several `query` options are
    /// combined. If the body is set twice, for example by parameters and by `json`, or if a GET or HEAD request has a
    /// body, the task fails with `.invalidRequest`.
    public enum Option: Sendable {
        /// The format of the parameters.
        case parameterEncoding(ParameterEncoding)
        /// Sets a header field. It replaces a configured field with that name.
        case header(Headers.Name, String)
        /// Adds parameters to the query, for any method.
        case query(Parameters)
        /// Sends a value as JSON, encoded as the service's ``Configuration/jsonEncoding`` specifies. `Content-Type` is
        /// set to `application/json`, unless it was set before.
        case json(any Encodable & Sendable)
        /// Sends bytes. `Content-Type` is set to the content type, unless it was set before.
        case body(Data, contentType: String)
        /// Sends a body that is read while it is sent. `Content-Type` is set to the content type, unless it was set
        /// before.
        indirect case streamedBody(RequestBody, contentType: String)
        /// Sends a form's fields and files. See ``multipart(_:)``.
        case multipartForm(MultipartForm)
        /// Sends the body compressed with gzip (RFC 9110 §8.4.1.3), with `Content-Encoding: gzip` and the compressed
        /// length. Does nothing if the request has no body. The body is compressed once, when the request is encoded.
        /// `adaptRequest`, redirects and retries therefore use the compressed bytes.
        ///
        /// The body must be in memory. The task fails with `.invalidRequest` if the body is a file or a stream, if the
        /// request has its own `Content-Encoding`, or if the system has no zlib.
        ///
        /// Few servers accept compressed requests. A server that doesn't accept them responds with 415 (RFC 9110
        /// §15.5.16).
        case compressed
        /// Whether a GET may use stored responses, and whether its own response is stored.
        case cachePolicy(CachePolicy)
        /// The maximum time from `resume()` to the last byte, including all attempts and delays. After it, the task
        /// fails with `.timedOut`.
        case timeout(Duration)
        /// Whether the request is sent again, how often, and after which delay.
        case retry(RetryPolicy)
        /// Whether the transport stores and sends cookies.
        case handlesCookies(Bool)
        /// The redirect policy of this request. It replaces the data source's policy (RFC 9110 §15.4).
        ///
        /// ```swift
        /// service.GET("/moved", options: [.redirects(.doNotFollow), .acceptStatusCodes([200..<300, 302])])
        /// ```
        ///
        /// The option works with Swallow's data sources, also under data source adapters. If the data source follows
        /// redirects itself, the task fails with `.invalidRequest`. A `URLSession` sends nothing in this case. If your
        /// own data source follows redirects itself, that is recognized when the head of its response arrives.
        case redirects(RedirectPolicy)
        /// Whether the caches may serve responses that the server wants validated first. See
        /// ``Configuration/ignoresServerCacheRules``.
        case ignoresServerCacheRules(Bool)
        /// The status codes of a success.
        case acceptStatusCodes(StatusCodes)
        /// The content types of a success with a body, as patterns such as `*/*+json`. If a response has another type,
        /// the task fails with `.contentMismatch`.
        case acceptContentTypes([String])
        /// Downloads the body of a success to a file, in constant memory. It replaces a file with the same name.
        ///
        /// The body is written to a file beside the target. That file is renamed when it is complete, so the target is
        /// never incomplete, even if the process is killed. The task's content is the target's URL. `responseJSON` and
        /// similar handlers read the file. The task fails with `.invalidRequest` for HEAD, for a target that isn't a
        /// file URL, and for a target that exists and isn't a regular file (a folder, a link, a device). Errors of the
        /// file system fail the task with `.transport`.
        ///
        /// - `resumes`: Whether an incomplete download leaves a partial file, named after the target with the suffix
        ///   `.swallow-part`. The next download of the same URL to the same target resumes it if the server still has
        ///   the same bytes. It uses `Range` and `If-Range` with a strong validator (RFC 9110 §8.8.1, §13.1.5, §14),
        ///   and requests no content coding. Only GET can resume. A second task that uses a partial file that is being
        ///   written fails with `.invalidRequest`. `false` by default, so that each download has its own partial file,
        ///   and the last one wins.
        /// - `createsFolders`: Whether the target's folder and its parent folders are created if they are missing.
        ///   `false` by default.
        case download(to: URL, resumes: Bool = false, createsFolders: Bool = false)
        /// Downloads the body of a success to a new file in a folder. See ``download(into:createsFolders:)``.
        case newDownload(in: URL, createsFolders: Bool)
        /// Downloads the body of a success to a new file with a unique name in the system's temporary folder.
        ///
        /// The name ends with the name that the response suggests. The task's content is the file's URL. Move the file
        /// or remove it.
        case temporaryDownload
    }
}

extension Request.Option {
    /// Adds the parameters of a dictionary variable to the query, in the order of its keys.
    @_disfavoredOverload
    public static func query(_ dictionary: [String: any ParameterConvertible]) -> Self {
        .query(Parameters(dictionary))
    }
}

// MARK: - Downloads

extension Request.Option {
    /// Downloads the body of a success to a new file in a folder, in constant memory, with the name that the response
    /// suggests.
    ///
    /// The name is from `Content-Disposition` (RFC 6266 §4.3). Without that field, it is the last component of the
    /// URL's path, or otherwise `download`. It is always changed to the name of a visible file directly in the folder.
    /// No file is replaced, and a number is added if the name exists. The task's content is the file's URL. Another
    /// task can't resume the download, because the name isn't known before.
    ///
    /// - Parameters:
    ///   - folder: The file's folder. If it isn't a file URL, the task fails with `.invalidRequest`.
    ///   - createsFolders: Whether the folder and its parent folders are created if they are missing. `false` by
    ///     default.
    public static func download(into folder: URL, createsFolders: Bool = false) -> Self {
        .newDownload(in: folder, createsFolders: createsFolders)
    }
}

// MARK: - Bodies that are read while they are sent

extension Request.Option {
    /// Sends a file's bytes, which are read while they are sent. The task fails with `.invalidRequest` if there is no
    /// file at the URL, or if the file's size changes during the upload.
    ///
    /// - Parameters:
    ///   - file: The file's URL.
    ///   - contentType: The value of `Content-Type`, unless it was set before. By default, it is the type of the file's
    ///     extension, or `application/octet-stream` without a known extension.
    public static func body(file: URL, contentType: String? = nil) -> Self {
        .streamedBody(.file(file), contentType: contentType ?? FileContentType.of(file))
    }

    /// Sends the bytes of a stream that can be opened again for a redirect or a retry.
    ///
    /// - Parameters:
    ///   - open: Returns a stream that isn't open yet. Called each time the body is sent, on a thread that may wait.
    ///   - length: The stream's length in bytes. If it is `nil`, the default, the length is unknown and the body is
    ///     sent in chunks.
    ///   - contentType: The value of `Content-Type`, unless it was set before.
    public static func body(
        stream open: @escaping @Sendable () throws -> InputStream, length: Int64? = nil,
        contentType: String = "application/octet-stream"
    ) -> Self {
        .streamedBody(.stream(length: length, open: open), contentType: contentType)
    }

    /// Sends the parts of an asynchronous sequence as they arrive, once. The response may arrive before the body is
    /// complete.
    ///
    /// - Parameters:
    ///   - parts: The sequence. It is iterated while the task runs, and the next part is requested when there is room
    ///     for it.
    ///   - length: The total length of the parts in bytes. If it is `nil`, the default, the length is unknown and the
    ///     body is sent in chunks.
    ///   - contentType: The value of `Content-Type`, unless it was set before.
    ///   - trailers: Returns the fields that follow the last part (RFC 9110 §6.5), over HTTP/1.1.
    public static func body<Parts: AsyncSequence & Sendable>(
        stream parts: Parts, length: Int64? = nil, contentType: String = "application/octet-stream",
        trailers: (@Sendable () async throws -> Headers)? = nil
    ) -> Self where Parts.Element == Data {
        .streamedBody(.parts(parts, length: length, trailers: trailers), contentType: contentType)
    }

    /// Sends a form's fields and files as `multipart/form-data` (RFC 7578). They are read while they are sent.
    ///
    /// - Parameter build: Adds the fields. Called immediately.
    public static func multipart(_ build: (inout MultipartForm) throws -> Void) rethrows -> Self {
        var form = MultipartForm()
        try build(&form)
        return .multipartForm(form)
    }
}
