import Foundation

/// A name for a downloaded file, without characters that would hide the file or lead out of its folder.
struct SuggestedFilename: Sendable {
    let text: String

    /// Uses `Content-Disposition` (RFC 6266 §4.3), the last component of the URL's path, or `download`.
    init(of head: HTTPURLResponse) {
        let field = head.value(forHTTPHeaderField: "Content-Disposition")
        let name = Self.cleaned(field.flatMap(Self.name(inDisposition:)) ?? "")
        self.init(name.isEmpty ? head.url?.lastPathComponent ?? "" : name)
    }

    init(_ suggestion: String) {
        let name = Self.cleaned(suggestion)
        text = name.isEmpty ? "download" : name
    }

    private static func cleaned(_ suggestion: String) -> String {
        let last =
            suggestion.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
            .last ?? []
        let visible = last.filter { !isInvisible($0) && $0 != ":" }
        let name = trimmed(String(String.UnicodeScalarView(visible)))
        // Another download could use a file with this name as its partial file or record.
        let isPartialFile = name.lowercased().contains(".swallow-")
        return shortened(isPartialFile ? name.replacingScalar(".", with: "-") : name)
    }

    var suffix: String { Self.parts(of: text).suffix }

    func numbered(_ number: String) -> String {
        if number == "1" { return text }
        let (stem, suffix) = Self.parts(of: text)
        return "\(stem)-\(number)\(suffix)"
    }

    private static func parts(of name: String) -> (stem: String, suffix: String) {
        guard let dot = name.unicodeScalars.lastIndex(of: "."), dot > name.startIndex,
            name[dot...].utf8.count <= 20
        else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }

    /// Whether a character could make different names look the same, or make a program look like a document.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isDefaultIgnorableCodePoint { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: return true
        default: return false
        }
    }

    private static func trimmed(_ name: String) -> String {
        func isEdge(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar.properties.isWhitespace }
        var scalars = Substring(name).unicodeScalars
        while let first = scalars.first, isEdge(first) { scalars.removeFirst() }
        while let last = scalars.last, isEdge(last) { scalars.removeLast() }
        return String(Substring(scalars))
    }

    private static func shortened(_ name: String) -> String {
        if name.utf8.count <= 200 { return name }
        var (stem, suffix) = parts(of: name)
        stem = String(decoding: stem.utf8.prefix(200 - suffix.utf8.count), as: UTF8.self)
        while stem.last == "\u{FFFD}" { stem.removeLast() }
        return stem + suffix
    }
}

extension SuggestedFilename {
    private static func name(inDisposition field: String) -> String? {
        var scanner = FieldScanner(field)
        let parameters = scanner.parameters()
        return parameters["filename*"].flatMap(extended) ?? parameters["filename"]
    }

    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[2].isEmpty,
            let bytes = PercentEncoding.decode(parts[2])
        else { return nil }
        return try? TextDecoding.text(of: Data(bytes), charset: String(parts[0]))
    }
}

extension Request.Download {
    var target: URL? { if case .file(let target) = place { target } else { nil } }

    func name(for head: HTTPURLResponse) -> String {
        let name = SuggestedFilename(of: head)
        if case .temporary = place {
            return "Swallow-\(PartialFile.number())\(PartialFile.number())\(name.suffix)"
        }
        return name.text
    }
}
