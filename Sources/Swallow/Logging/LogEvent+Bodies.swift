extension LogEvent.Request {
    /// The body as redacted text. `nil` unless it is JSON, JSON Lines, a form, a multipart body or an event stream,
    /// with at most 1 MiB in memory. `<redacted>` if it can't be parsed.
    public var bodyText: String? { message?.bodyText }

    /// A redacted curl command for the request. `nil` if the request wasn't built, or its body in memory exceeds 1 MiB.
    public var curlCommand: String? { message?.curlCommand }
}

extension LogEvent.Response {
    /// The body as redacted text. `nil` unless it is JSON, JSON Lines, a form, a multipart body or an event stream,
    /// with at most 1 MiB in memory. `<redacted>` if it can't be parsed.
    public var bodyText: String? { message?.bodyText }
}

extension LogEvent {
    static let shownBytes = 4096

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

    private func lines(of text: String, after mark: String) -> [String] {
        let cut = text.utf8.count - Self.shownBytes
        let shown = text.utf8.text(upTo: Self.shownBytes) + (cut > 0 ? "… (\(cut) more bytes)" : "")
        return shown.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
            "[\(request?.id ?? 0)] \(mark) \(String($0).escapedForLog)"
        }
    }
}
