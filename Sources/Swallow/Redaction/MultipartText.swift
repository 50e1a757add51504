import Foundation

/// The parts of a multipart body (RFC 2046 §5.1). Lines may end with LF alone.
struct MultipartText {
    struct Part {
        /// The name of the form's field, and the media type in lower case; empty if the head has none.
        let name, contentType: String
        /// Whether the part is the value of a field, and not a file.
        let isText: Bool
        let body: Range<Data.Index>
    }

    private let data: Data
    private(set) var parts: [Part] = []

    /// The greatest number of parts. Reading the head of each takes about 0.1 ms.
    private static let greatestCount = 1000

    /// Nil if the body isn't complete or has too many parts, or if the content type has no boundary.
    init?(_ data: Data, contentType: String) {
        let pattern = /(?i);\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))(?:;|\s|$)/
        guard let match = contentType.firstMatch(of: pattern) else { return nil }
        self.data = data
        let delimiter = Data("\n--\(match.1 ?? match.2 ?? "")".utf8)
        let isFirst = data.starts(with: delimiter.dropFirst())
        var place = isFirst ? data.startIndex + delimiter.count - 1 : data.range(of: delimiter)?.upperBound
        while let start = place, !data[start...].starts(with: "--".utf8) {
            let end = data.range(of: delimiter, in: start..<data.endIndex)
            guard let end, let part = Self.part(data, start..<end.lowerBound) else { return nil }
            parts.append(part)
            if parts.count > Self.greatestCount { return nil }
            place = end.upperBound
        }
        if place == nil { return nil }
    }

    /// Returns the same form with other bodies of its parts.
    func replacingBodies(_ change: (Part, Data) -> Data) -> Data {
        var (changed, place) = (Data(), data.startIndex)
        for part in parts {
            changed += data[place..<part.body.lowerBound] + change(part, Data(data[part.body]))
            place = part.body.upperBound
        }
        return changed + data[place...]
    }

    /// Reads the rest of the boundary's line, the head, the empty line and the body.
    private static func part(_ data: Data, _ range: Range<Data.Index>) -> Part? {
        let blanks = ["\r\n\r\n", "\n\n"].compactMap { data[range].prefix(8192).range(of: Data($0.utf8)) }
        guard let blank = blanks.min(by: { $0.lowerBound < $1.lowerBound }) else { return nil }
        // The patterns below don't find LF in CR LF, which is one character.
        let lines = data[range.lowerBound..<blank.lowerBound].filter { $0 != UInt8(ascii: "\r") }
        let head = String(decoding: lines, as: UTF8.self)
        guard head.prefix(while: { !$0.isNewline }).trimmingSpaces.isEmpty else { return nil }
        let end = data[blank.upperBound..<range.upperBound].last == UInt8(ascii: "\r") ? 1 : 0
        let name = head.firstMatch(of: /(?i)[;\s]name=(?:"([^"]*)"|([^\s;"]*))/)
        let type = head.firstMatch(of: /(?i)\ncontent-type:([^\r\n]*)/)?.1.trimmingSpaces.lowercased() ?? ""
        let isText = type.isEmpty || type.hasPrefix("text/plain")
        return Part(
            name: String(name?.1 ?? name?.2 ?? ""), contentType: type,
            isText: isText && !head.contains(/(?i)[;\s]filename\*?=/),
            body: blank.upperBound..<(range.upperBound - end))
    }
}
