import Foundation
import Swallow

/// A form in parts (RFC 7578), or what is left of one, as it was sent.
struct MultipartText {
    struct Part {
        /// The field's name; nil where its head doesn't tell.
        let name: String?
        /// The media type; empty for none.
        let contentType: String
        let range: Range<Data.Index>
        let body: Data
    }

    private let data: Data
    private(set) var parts: [Part] = []

    /// Nil where it has no boundary, or no part.
    init?(_ data: Data, mimeType: String) {
        guard let boundary = Self.boundary(in: mimeType) ?? Self.firstLine(of: data) else { return nil }
        self.data = data
        let delimiter = Data("--\(boundary)".utf8)
        var place = data.range(of: delimiter)
        while let start = place {
            place = data.range(of: delimiter, in: start.upperBound..<data.endIndex)
            let end = place?.lowerBound ?? data.endIndex
            if let part = Self.part(data[start.upperBound..<end]) { parts.append(part) }
        }
        if parts.isEmpty { return nil }
    }

    /// Whether bytes that can't be split into parts still seem to name a form's fields.
    static func namesFields(_ data: Data) -> Bool {
        String(decoding: data, as: UTF8.self).lowercased().contains("content-disposition")
    }

    /// The same form with other bodies; nil where none changes.
    func replacingBodies(_ change: (Part) -> Data?) -> Data? {
        var (changed, rest) = (Data(), data[...])
        for part in parts {
            guard let body = change(part), body != part.body else { continue }
            changed += rest[..<part.range.lowerBound] + body
            rest = rest[part.range.upperBound...]
        }
        return rest.startIndex == data.startIndex ? nil : changed + rest
    }

    /// The most bytes of a boundary; RFC 2046 §5.1.1 allows 70.
    private static let longest = 200

    private static func boundary(in mimeType: String) -> String? {
        guard let match = mimeType.firstMatch(of: /(?i)boundary=(?:"([^"]+)"|([^\s;"]+))/) else { return nil }
        let boundary = String(match.1 ?? match.2 ?? "")
        return boundary.utf8.count <= longest ? boundary : nil
    }

    private static func firstLine(of data: Data) -> String? {
        let line = data.prefix(longest).prefix { $0 > UInt8(ascii: " ") }
        guard line.starts(with: "--".utf8), line.count > 2 else { return nil }
        return String(decoding: line.dropFirst(2), as: UTF8.self)
    }

    /// What is between two boundaries: head, empty line, body and line break. Some tools' lines end with LF alone.
    private static func part(_ data: Data) -> Part? {
        let blanks = ["\r\n\r\n", "\n\n"].compactMap { data.range(of: Data($0.utf8)) }
        guard let blank = blanks.min(by: { $0.lowerBound < $1.lowerBound }) else { return nil }
        let head = String(decoding: data[..<blank.lowerBound].prefix(8192), as: UTF8.self)
        var body = data[blank.upperBound...]
        if body.last == UInt8(ascii: "\n") { body = body.dropLast() }
        if body.last == UInt8(ascii: "\r"), body.endIndex < data.endIndex { body = body.dropLast() }
        let name = head.firstMatch(of: /(?i)[;\s]name=(?:"([^"]*)"|([^\s;"]*))/)
        let type = head.firstMatch(of: /(?i)\ncontent-type:([^\r\n]*)/)
        return Part(
            name: name.map { String($0.1 ?? $0.2 ?? "") }, contentType: type.map { String($0.1) } ?? "",
            range: body.startIndex..<body.endIndex, body: Data(body))
    }
}
