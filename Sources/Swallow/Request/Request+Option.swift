import Foundation

extension Request {
    /// A setting of one request. If several options set the same value, the last one counts, but `query` options are
    /// combined. With two bodies, or a body for GET or HEAD, the task fails with `.invalidRequest`.
    public struct Option: Sendable {
        let change: @Sendable (inout Request) -> Void
    }
}

extension Request.Option {
    /// The format in which the parameters are sent. It replaces the configured format.
    public static func parameterEncoding(_ encoding: ParameterEncoding) -> Self {
        Self { $0.parameterEncoding = encoding }
    }

    /// Sets a header field. It replaces a configured field with that name.
    public static func header(_ name: Headers.Name, _ value: String) -> Self {
        Self { $0.headers[name] = value }
    }

    /// Adds parameters to the query, for any method.
    public static func query(_ parameters: Parameters) -> Self {
        Self { $0.query.members += parameters.members }
    }

    /// Adds the parameters of a dictionary to the query, sorted by name.
    @_disfavoredOverload
    public static func query(_ dictionary: [String: any ParameterConvertible]) -> Self {
        .query(Parameters(dictionary))
    }

    /// Sends a value as JSON, in the format of the service's ``WebService/Configuration/jsonEncoding``. `Content-Type`
    /// is set to `application/json`, unless the request already has this field.
    public static func json(_ value: any Encodable & Sendable) -> Self {
        Self { $0.bodies.append(.encodable(EncodableBody(value))) }
    }

    /// Sends bytes as the body. `Content-Type` is set to `contentType`, unless the request already has this field.
    public static func body(_ data: Data, contentType: String) -> Self {
        Self { $0.bodies.append(.data(data, contentType: contentType)) }
    }

    /// Sends the body compressed, with `Content-Encoding: gzip` (RFC 9110 §8.4.1.3). Does nothing without a body.
    /// `adaptRequest`, redirects and retries use the compressed bytes. The task fails with `.invalidRequest` if the
    /// body is a file, a stream, or a form with a file or a large field, if the request already has a
    /// `Content-Encoding`, or if the system has no zlib. A server without gzip may respond with 415 (§15.5.16).
    public static let compressed = Self { $0.compressesBody = true }

    /// Whether a GET may use stored responses, and whether its own response is stored.
    public static func cachePolicy(_ policy: CachePolicy) -> Self {
        Self { $0.cachePolicy = policy }
    }

    /// The timeout of this request. See ``WebService/Configuration/timeout``.
    public static func timeout(_ duration: Duration) -> Self {
        Self { $0.timeout = duration }
    }

    /// The retry policy of this request.
    public static func retry(_ policy: RetryPolicy) -> Self {
        Self { $0.retry = policy }
    }

    /// Whether the data source stores and sends cookies for this request. The default is true.
    public static func handlesCookies(_ isOn: Bool) -> Self {
        Self { $0.handlesCookies = isOn }
    }

    /// The redirect policy of this request. It replaces the data source's policy (RFC 9110 §15.4).
    ///
    /// ```swift
    /// let moved = service.GET(
    ///     "/moved", options: [.redirects(.doNotFollow), .acceptableStatusCodes(200..<400)])
    /// ```
    ///
    /// If the data source follows redirects itself, the task fails with `.invalidRequest`. With a `URLSession`, it
    /// fails before anything is sent. With your own data source, it fails when the response's head arrives.
    public static func redirects(_ policy: RedirectPolicy) -> Self {
        Self { $0.redirects = policy }
    }

    /// Whether the caches may serve responses that the server wants validated first. See
    /// ``WebService/Configuration/ignoresServerCacheRules``.
    public static func ignoresServerCacheRules(_ isOn: Bool) -> Self {
        Self { $0.ignoresServerCacheRules = isOn }
    }

    /// The status codes that count as success.
    public static func acceptableStatusCodes(_ codes: StatusCodes) -> Self {
        Self { $0.acceptableStatusCodes = codes }
    }

    /// The content types that a success with a body may have, such as `*/*+json`. Others fail with `.contentMismatch`.
    public static func acceptableContentTypes(_ types: [String]) -> Self {
        Self { $0.acceptableContentTypes = types }
    }
}

extension Request.Option {
    /// Downloads the body of a successful response to a file. An existing file is replaced.
    ///
    /// The body is written to another file, which replaces the target when it is complete. The task's content is the
    /// target's URL, and `responseJSON` and similar handlers read the file. The task fails with `.invalidRequest` for
    /// HEAD, and if the target isn't a file URL, or is a folder, a link or a special file. Errors of the file system
    /// fail it with `.transport`. Missing folders are created only if `createsFolders` is true.
    ///
    /// If `resumes` is true, and the response has a strong validator (RFC 9110 §8.8.1) and no content coding, a failed
    /// download leaves its bytes in a file with the suffix `.swallow-part`. The next download of the same URL to the
    /// target continues after these bytes if the server still has the same representation. Its request has `Range` and
    /// `If-Range` (§13.1.5, §14), and asks for no content coding. The task fails with `.invalidRequest` if the method
    /// isn't GET, if the request has its own `Range`, or if another task uses the partial file.
    public static func download(to target: URL, resumes: Bool = false, createsFolders: Bool = false) -> Self {
        let place = Request.Download.Place.file(target)
        return Self {
            $0.download = Request.Download(place: place, resumes: resumes, createsFolders: createsFolders)
        }
    }

    /// Downloads the body of a successful response to a new file in a folder. The name is from `Content-Disposition`
    /// (RFC 6266 §4.3), otherwise from the URL's path, otherwise `download`. It is changed, for example, if the file
    /// would be hidden or outside the folder. If the name exists, a number is added. The task's content is the file's
    /// URL. No other task can resume the download. If the folder isn't a file URL, the task fails with
    /// `.invalidRequest`. Missing folders are created only if `createsFolders` is true.
    public static func download(into folder: URL, createsFolders: Bool = false) -> Self {
        Self { $0.download = Request.Download(place: .folder(folder), createsFolders: createsFolders) }
    }

    /// Downloads the body of a successful response to a new file with a unique name in the system's temporary folder.
    /// The task's content is the file's URL. Move the file or remove it.
    public static let temporaryDownload = Self { $0.download = Request.Download(place: .temporary) }
}

extension Request.Option {
    /// Sends a file's bytes, which are read while they are sent. The task fails with `.invalidRequest` if there is no
    /// file at the URL, or if its size changes during the upload. If the request has no `Content-Type`, it is set to
    /// `contentType`, by default the type of the file's extension, or `application/octet-stream` for an unknown one.
    public static func body(file: URL, contentType: String? = nil) -> Self {
        streamed(.file(file), contentType ?? FileContentType.of(file))
    }

    /// Sends the bytes of a stream that can be opened again for a redirect or a retry. `open` returns an unopened
    /// stream each time the body is sent, on a thread that may block. If `length`, in bytes, is `nil`, the default, the
    /// request states no length. `Content-Type` is set to `contentType`, unless the request already has this field.
    public static func body(
        stream open: @escaping @Sendable () throws -> InputStream, length: Int64? = nil,
        contentType: String = "application/octet-stream"
    ) -> Self {
        streamed(.stream(length: length, open: open), contentType)
    }

    /// Sends the elements of an asynchronous sequence as they arrive. The body can be sent only once. The response may
    /// arrive before the body is complete. If `length`, in bytes, is `nil`, the default, the request states no length.
    /// `Content-Type` is set to `contentType`, unless the request already has this field. `trailers` returns the fields
    /// that follow the body (RFC 9110 §6.5). Only `CurlDataSource` sends them, over HTTP/1.1.
    public static func body<Parts: AsyncSequence & Sendable>(
        stream parts: Parts, length: Int64? = nil, contentType: String = "application/octet-stream",
        trailers: (@Sendable () async throws -> Headers)? = nil
    ) -> Self where Parts.Element == Data {
        streamed(.parts(parts, length: length, trailers: trailers), contentType)
    }

    private static func streamed(_ body: RequestBody, _ contentType: String) -> Self {
        Self { $0.bodies.append(.streamed(body, contentType: contentType)) }
    }

    /// Sends a form's fields and files as `multipart/form-data` (RFC 7578). Files are read while they are sent.
    public static func multipart(_ build: (inout MultipartForm) throws -> Void) rethrows -> Self {
        var form = MultipartForm()
        try build(&form)
        return Self { [form] in $0.bodies.append(.multipart(form)) }
    }
}
