import Foundation
import Swallow

/// The request line and the header fields of a valid request (RFC 9112 §3 and §5).
struct RequestHead {
    private(set) var method = ""
    private(set) var target = ""
    private(set) var isHTTP10 = false
    private(set) var headers = Headers()

    init(_ lines: [String]) throws(ConnectionFailure) {
        // A field must not contain CR, LF or NUL (RFC 9110 §5.5).
        guard lines.allSatisfy(HTTPSyntax.isFieldValue) else { throw .rejected(status: 400) }
        try parseRequestLine(lines.first ?? "")
        for line in lines.dropFirst() { try parseField(line) }
        let hosts = headers.values(for: .host).count
        guard hosts == 1 || (hosts == 0 && isHTTP10) else { throw .rejected(status: 400) }
    }

    var keepsAlive: Bool {
        let tokens = (headers["Connection"] ?? "").split { $0 == "," || $0 == " " }
        return !isHTTP10 && !tokens.contains { $0.equalsIgnoringCase("close") }
    }

    var expectsContinue: Bool {
        !isHTTP10 && headers["Expect"]?.equalsIgnoringCase("100-continue") == true
    }

    /// Returns the length of the body, or `nil` if the body is chunked (RFC 9112 §6.3).
    func bodyLength() throws(ConnectionFailure) -> Int? {
        let lengths = Set(headers.values(for: .contentLength))
        if let coding = headers["Transfer-Encoding"] {
            guard lengths.isEmpty else { throw .rejected(status: 400) }
            guard coding.equalsIgnoringCase("chunked") else { throw .rejected(status: 501) }
            return nil
        }
        guard let text = lengths.first else { return 0 }
        guard lengths.count == 1, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .rejected(status: 400)
        }
        guard let length = Int(text) else { throw .rejected(status: 413) }
        return length
    }

    private mutating func parseRequestLine(_ line: String) throws(ConnectionFailure) {
        let parts = line.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count == 3, HTTPSyntax.isToken(parts[0]), !parts[1].isEmpty,
            parts[1].utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else {
            throw .rejected(status: 400)
        }
        switch parts[2] {
        case "HTTP/1.1": break
        case "HTTP/1.0": isHTTP10 = true
        case let version: throw .rejected(status: version.hasPrefix("HTTP/") ? 505 : 400)
        }
        (method, target) = (parts[0], parts[1])
    }

    private mutating func parseField(_ line: String) throws(ConnectionFailure) {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), HTTPSyntax.isToken(line[..<colon])
        else { throw .rejected(status: 400) }
        let value = line[line.utf8.index(after: colon)...].trimmingSpaces
        headers.append(String(value), for: Headers.Name(String(line[..<colon])))
    }
}
