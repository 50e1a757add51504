import Foundation

struct CurlCommand {
    private let request: URLRequest
    private let redaction: LogRedaction?
    private let formWords: [String]?

    init(_ request: URLRequest, form: MultipartForm? = nil, _ redaction: LogRedaction?) {
        self.request = request
        self.redaction = redaction
        let isSent = form.map { Self.sends($0, request) } == true
        formWords = isSent ? form.flatMap { Self.words(for: $0, redaction) } : nil
    }

    /// Returns whether the form is still the body. An `adaptRequest` closure or compression may have replaced it.
    private static func sends(_ form: MultipartForm, _ request: URLRequest) -> Bool {
        let (body, contentType) = form.encoded()
        guard contentType == request.value(forHTTPHeaderField: "Content-Type") else { return false }
        if let data = body.data { return data == request.httpBody }
        if case .joined? = request.streamedBody?.form { return true }
        return false
    }

    /// The command, or a shell comment if the body has several streams, because a command has only one input.
    var text: String {
        if let body = request.streamedBody, Self.streams(in: body) > 1 {
            return "# can't be written as a command: more than one part of the body is a stream"
        }
        let (source, body) = body
        // curl would read brackets in a URL as a range.
        let words = ["curl", "--globoff"] + Self.dots + method + fields + body + [url.shellQuoted]
        return source + words.joined(separator: " ")
    }

    /// The option that keeps `.` and `..` in a path, as Apple's URLSession does. On Linux, libcurl resolves them.
    private static var dots: [String] {
        #if canImport(FoundationNetworking)
            []
        #else
            ["--path-as-is"]
        #endif
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
        // curl determines the length of the body itself (RFC 9112 §6.2).
        let own = (redaction?.redacted(all) ?? all).filter {
            $0.name != .contentLength && $0.name != "Transfer-Encoding"
                // curl chooses its own boundary for a form.
                && ($0.name != .contentType || formWords == nil)
        }
        var fields = own.map { name, value in value.isEmpty ? "\(name);" : "\(name): \(value)" }
        // curl adds these fields to a body. A name without a value removes the field.
        if sendsBody, all[.contentType] == nil, !isForm { fields.append("Content-Type:") }
        if sendsBody, all["Expect"] == nil { fields.append("Expect:") }
        return fields.flatMap { ["--header", $0.shellQuoted] }
    }

    private var isForm: Bool { request.httpMethod == "POST" && hasBody }

    private var hasBody: Bool { request.httpBody?.isEmpty == false || request.httpBodyStream != nil }

    /// Whether a body or its length is sent. POST, PUT and PATCH have a length even without a body (RFC 9110 §8.6).
    private var sendsBody: Bool { hasBody || ["POST", "PUT", "PATCH"].contains(request.httpMethod ?? "GET") }

    private var body: (source: String, words: [String]) {
        if !sendsBody { return ("", []) }
        if let formWords { return ("", formWords) }
        let input = ["--data-binary", "@-"]
        switch request.streamedBody?.form {
        case .file(let url)?: return ("", ["--data-binary", "@\(url.path)".shellQuoted])
        case .joined(let bodies)?:
            if redaction != nil { return ("", ["--data-raw", LogRedaction.placeholder.shellQuoted]) }
            return ("{ \(Self.commands(for: bodies).joined(separator: "; ")); } | ", input)
        case .stream?, .parts?, .opened?: return ("", input)
        case .data?, nil: break
        }
        guard let data = request.streamedBody?.data ?? request.httpBody, request.httpBodyStream == nil else {
            return request.httpBodyStream == nil ? ("", ["--data-raw", "''"]) : ("", input)
        }
        let shown = shown(data)
        // Linux limits an argument to 128 KiB.
        if let shown, shown.utf8.count < 65_536 { return ("", ["--data-raw", shown.shellQuoted]) }
        let bytes = shown.map { Data($0.utf8) } ?? data
        return ("printf \(Self.octal(bytes)) | ", input)
    }

    private static func commands(for bodies: [RequestBody]) -> [String] {
        bodies.map { body in
            switch body.form {
            case .data(let data): "printf \(octal(data))"
            case .file(let url): "cat \(url.path.shellQuoted)"
            case .joined(let bodies): commands(for: bodies).joined(separator: "; ")
            case .stream, .parts, .opened: "cat"
            }
        }
    }

    private static func streams(in body: RequestBody) -> Int {
        switch body.form {
        case .data, .file: 0
        case .stream, .parts, .opened: 1
        case .joined(let bodies): bodies.reduce(0) { $0 + streams(in: $1) }
        }
    }

    private func shown(_ data: Data) -> String? {
        guard let redaction else { return data.textOfShell }
        let type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
        return redaction.text(ofBody: data, contentType: type, limit: .max) ?? LogRedaction.placeholder
    }

    private static func octal(_ bytes: Data) -> String {
        var text: [UInt8] = [UInt8(ascii: "'")]
        text.reserveCapacity(bytes.count * 2)
        let zero = UInt8(ascii: "0")
        for byte in bytes {
            if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "\\"), zero + byte >> 6, zero + byte >> 3 & 7, zero + byte & 7]
            }
        }
        return String(decoding: text + [UInt8(ascii: "'")], as: UTF8.self)
    }
}

extension Data {
    var textOfShell: String? {
        let text = String(decoding: self, as: UTF8.self)
        return contains(0) || !text.utf8.elementsEqual(self) ? nil : text
    }
}

extension String {
    var shellQuoted: String {
        let plain = HTTPSyntax.table(of: HTTPSyntax.lettersAndDigits + "/:.-_")
        let isPlain = !isEmpty && utf8.allSatisfy { plain[Int($0)] }
        return isPlain ? self : "'\(replacingScalar("'", with: #"'\''"#))'"
    }
}
