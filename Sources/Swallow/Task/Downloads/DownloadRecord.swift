import Foundation

/// Identifies the representation whose bytes a partial file contains. Without a record, a download can't be resumed.
struct DownloadRecord: Sendable, Hashable {
    /// The digest of the request's URL, because the URL may contain secrets.
    let address: String
    /// The digest of the URL after all redirects, without its query, which changes in signed URLs.
    let source: String
    let validator: StrongValidator
    let length: Int64?

    init?(of head: HTTPURLResponse, address: String) {
        guard !head.hasContentCoding, let validator = StrongValidator(of: head),
            validator.text.utf8.count <= Self.maximumSize / 2
        else { return nil }
        self.address = address
        source = Self.source(head.url)
        self.validator = validator
        length = head.contentLength
    }

    static func address(of request: URLRequest) -> String {
        SHA256.hexDigest(of: request.url?.absoluteString ?? "")
    }

    func belongs(to url: URL?) -> Bool { source == Self.source(url) }

    private static func source(_ url: URL?) -> String {
        SHA256.hexDigest(of: String((url?.absoluteString ?? "").locationAndQuery.location))
    }
}

extension DownloadRecord {
    static let maximumSize = 16 << 10

    private static let title = "Swallow download 2"

    var data: Data {
        let (kind, text) =
            switch validator {
            case .entityTag(let text): ("tag", text)
            case .lastModified(let text): ("date", text)
            }
        let lines = [Self.title, address, source, kind, text, length.map { "\($0)" } ?? "*"]
        return Data((lines + [SHA256.hexDigest(of: lines)]).map { $0 + "\n" }.joined().utf8)
    }

    init?(_ data: Data) {
        var lines = String(decoding: data, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
        guard lines.count == 8, lines.removeLast().isEmpty,
            lines.removeLast() == SHA256.hexDigest(of: lines), lines[0] == Self.title
        else { return nil }
        address = lines[1]
        source = lines[2]
        switch lines[3] {
        case "tag": validator = .entityTag(lines[4])
        case "date": validator = .lastModified(lines[4])
        default: return nil
        }
        length = Int64(lines[5])
    }
}

extension HTTPURLResponse {
    var hasContentCoding: Bool {
        let codings = HTTPSyntax.elements(of: value(forHTTPHeaderField: "Content-Encoding") ?? "")
        return codings.contains { $0 != "identity" }
    }

    var contentLength: Int64? {
        guard let text = value(forHTTPHeaderField: "Content-Length"), let length = Int64(text) else {
            return nil
        }
        return length >= 0 ? length : nil
    }
}
