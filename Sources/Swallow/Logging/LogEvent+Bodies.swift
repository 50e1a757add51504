extension LogEvent.Request {
    /// The body as redacted text. `nil` unless the body is JSON, a form, a multipart form or an event stream of at most
    /// 1 MB in memory. If that body can't be parsed, the text is `<redacted>`.
    ///
    /// The text is created each time it is read.
    public var bodyText: String? { message?.bodyText }

    /// The redacted cURL command of the request. `nil` for a body of more than 1 MB, and if the request couldn't be
    /// encoded.
    ///
    /// The command equals ``ServiceTask/curlCommand``. It is created each time it is read. It doesn't include the
    /// fields that an ``Authenticator`` adds.
    public var curlCommand: String? { message?.curlCommand }
}

extension LogEvent.Response {
    /// The body as redacted text. `nil` unless the body is JSON, a form, a multipart form or an event stream of at most
    /// 1 MB in memory. If that body can't be parsed, the text is `<redacted>`.
    ///
    /// The text is created each time it is read.
    public var bodyText: String? { message?.bodyText }
}

extension LogEvent {
    static let shownBytes = 4096

    /// The curl command after `$`, the request's body after `>`, and the response's body after `<`.
    var bodyLines: [String] {
        switch self {
        case .requestBuilt(let request): request.curlCommand.map { lines(of: $0, after: "$") } ?? []
        case .requestSent(let request):
            lines(of: request.bodyText, request.bodyByteCount, request.headers, after: ">")
        case .responseReceived(_, let response):
            lines(of: response.bodyText, response.byteCount, response.headers, after: "<")
        default: []
        }
    }

    private func lines(
        of body: String?, _ byteCount: Int?, _ headers: Headers, after mark: String
    ) -> [String] {
        if let body { return lines(of: body, after: mark) }
        if byteCount == 0 { return [] }
        let size = byteCount?.byteCountText ?? "a stream"
        return lines(of: "(\(size) of \(headers[.contentType] ?? "an unknown type"))", after: mark)
    }

    /// Splits and truncates a text. Each line has a mark, so it can't look like the line of another event.
    private func lines(of text: String, after mark: String) -> [String] {
        let bytes = text.utf8
        let shown = String(decoding: bytes.prefix(Self.shownBytes), as: UTF8.self)
        let isCut = bytes.count > Self.shownBytes
        let rest = isCut ? "… (\(bytes.count - Self.shownBytes) more bytes)" : ""
        // The cut may split a character.
        let complete = isCut ? String(shown.drop(suffix: "\u{FFFD}")) : shown
        return (complete + rest).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
            "[\(request?.id ?? 0)] \(mark) \(String($0).escapedForLog)"
        }
    }
}

extension String {
    fileprivate func drop(suffix: Character) -> Substring {
        var text = self[...]
        while text.last == suffix { text.removeLast() }
        return text
    }
}
