import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request in curl's words, for a POSIX shell.
struct CurlCommand {
    private let request: URLRequest
    private let redaction: LogRedaction?

    /// - Parameter redaction: nil shows everything.
    init(_ request: URLRequest, _ redaction: LogRedaction?) {
        self.request = request
        self.redaction = redaction
    }

    var text: String {
        let (source, body) = body
        // curl would read brackets in a URL as a range, and resolve its dots.
        let words = ["curl", "--globoff", "--path-as-is"] + method + fields + body + [url.shellQuoted]
        return source + words.joined(separator: " ")
    }

    private var url: String {
        let url = request.url?.absoluteString ?? ""
        return redaction?.redactedURL(url) ?? url
    }

    private var method: [String] {
        switch request.httpMethod ?? "GET" {
        case "GET": []
        case "HEAD": ["--head"]
        case let method: ["--request", method.shellQuoted]
        }
    }

    private var fields: [String] {
        let all = Headers(request.allHTTPHeaderFields ?? [:])
        // The length of a body is the body's (RFC 9112 §6.2).
        let own = (redaction?.redacted(all) ?? all).filter {
            $0.name != .contentLength && $0.name != "Transfer-Encoding"
        }
        var fields = own.map { name, value in value.isEmpty ? "\(name);" : "\(name): \(value)" }
        // What curl adds to a body of its own accord, and a transport doesn't.
        if sendsBody, all[.contentType] == nil, !isForm { fields.append("Content-Type:") }
        if sendsBody, all["Expect"] == nil { fields.append("Expect:") }
        return fields.flatMap { ["--header", $0.shellQuoted] }
    }

    /// A body without a type is sent as a form by POST.
    private var isForm: Bool { request.httpMethod == "POST" && hasBody }

    private var hasBody: Bool { request.httpBody?.isEmpty == false || request.httpBodyStream != nil }

    /// An empty one has a length, too, with these (RFC 9110 §8.6).
    private var sendsBody: Bool { hasBody || ["POST", "PUT", "PATCH"].contains(request.httpMethod ?? "GET") }

    /// What comes before the command, and the words in it.
    private var body: (source: String, words: [String]) {
        if !sendsBody { return ("", []) }
        if case .file(let url)? = request.streamedBody?.form {
            return ("", ["--data-binary", "@\(url.path)".shellQuoted])
        }
        let inMemory = request.streamedBody.map(\.data) ?? request.httpBody ?? Data()
        // A stream is the command's input, which whoever runs it has to give.
        guard let data = inMemory, request.streamedBody != nil || request.httpBodyStream == nil else {
            return ("", ["--data-binary", "@-"])
        }
        let shown = shown(data)
        // A system's limit for a word may be 128 KB.
        if let shown, shown.utf8.count < 65_536 { return ("", ["--data-raw", shown.shellQuoted]) }
        let bytes = shown.map { Data($0.utf8) } ?? data
        return ("printf \(Self.octal(bytes)) | ", ["--data-binary", "@-"])
    }

    /// The body as text; nil where it is none. A redaction knows secrets in text only, and not those of forms in parts.
    private func shown(_ data: Data) -> String? {
        let text = data.contains(0) ? nil : String(data: data, encoding: .utf8)
        guard let redaction else { return text }
        let type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
        guard let text, !type.lowercased().hasPrefix("multipart/") else { return LogRedaction.placeholder }
        return redaction.redactedMembers(redaction.redacted(text))
    }

    /// Bytes in the notation of `printf`, which every shell knows.
    private static func octal(_ bytes: Data) -> String {
        var text: [UInt8] = [UInt8(ascii: "'")]
        text.reserveCapacity(bytes.count * 2)
        let zero = UInt8(ascii: "0")
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                text.append(byte)
            default: text += [UInt8(ascii: "\\"), zero + byte >> 6, zero + byte >> 3 & 7, zero + byte & 7]
            }
        }
        return String(decoding: text + [UInt8(ascii: "'")], as: UTF8.self)
    }
}

extension String {
    /// The text as one word of a POSIX shell's (§2.2.2), as it is where nothing in it is special.
    var shellQuoted: String {
        let isPlain =
            !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: ":"),
                    UInt8(ascii: "."),
                    UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
        return isPlain ? self : "'\(replacingScalar("'", with: #"'\''"#))'"
    }
}
