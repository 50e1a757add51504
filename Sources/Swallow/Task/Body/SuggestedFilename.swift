import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A safe name for the file of a response's body: the server's suggestion, without what would hide the file or lead out
/// of its folder.
struct SuggestedFilename: Sendable {
    let text: String

    /// The name of `Content-Disposition` (RFC 6266 §4.3), else the last part of the URL's path.
    init(of head: HTTPURLResponse) {
        let field = head.value(forHTTPHeaderField: "Content-Disposition")
        self.init(field.flatMap(Self.name(inDisposition:)) ?? head.url?.lastPathComponent ?? "")
    }

    /// Makes a safe name of any text: without path separators, invisible characters or a leading dot; at most 200 bytes.
    init(_ suggestion: String) {
        let last =
            suggestion.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
            .last ?? []
        let visible = last.filter { !Self.isInvisible($0) && $0 != ":" }
        var name = Self.trimmed(String(String.UnicodeScalarView(visible)))
        // A server must not name the part that a later download to another target would continue.
        if name.lowercased().contains(".swallow-") { name = name.replacingScalar(".", with: "-") }
        text = Self.shortened(name.isEmpty ? "download" : name)
    }

    /// The extension with its dot; empty where there is none.
    var ending: String { Self.parts(of: text).ending }

    /// The name with a number before its extension; unchanged for the number 1.
    func numbered(_ number: String) -> String {
        if number == "1" { return text }
        let (stem, ending) = Self.parts(of: text)
        return "\(stem)-\(number)\(ending)"
    }

    private static func parts(of name: String) -> (stem: String, ending: String) {
        guard let dot = name.unicodeScalars.lastIndex(of: "."), dot > name.startIndex,
            name[dot...].utf8.count <= 20
        else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }

    /// Whether a scalar is a control character, has no width (two names would look the same), or turns the direction of the
    /// text (a program could look like an `exe.pdf`).
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
        var (stem, ending) = parts(of: name)
        stem = String(decoding: stem.utf8.prefix(200 - ending.utf8.count), as: UTF8.self)
        // The cut may go through a character.
        while stem.last == "\u{FFFD}" { stem.removeLast() }
        return stem + ending
    }
}

// MARK: - Content-Disposition

extension SuggestedFilename {
    /// `filename*` (RFC 8187 §3.2) where it can be read, else `filename`.
    private static func name(inDisposition field: String) -> String? {
        var name: String?
        for (key, value) in parameters(of: field) {
            if key == "filename*", let extended = extended(value) { return extended }
            if key == "filename", name == nil { name = value }
        }
        return name
    }

    /// Parameters with their names in lower case, and their values without quotes (RFC 9110 §5.6.6).
    private static func parameters(of field: String) -> [(String, String)] {
        var parameters: [(String, String)] = []
        var (name, value) = (String.UnicodeScalarView(), String.UnicodeScalarView())
        var (isValue, isQuoted, isEscaped) = (false, false, false)
        for scalar in field.unicodeScalars + [";"] {
            if isEscaped {
                value.append(scalar)
                isEscaped = false
            } else if isQuoted {
                if scalar == "\\" {
                    isEscaped = true
                } else if scalar == "\"" {
                    isQuoted = false
                } else {
                    value.append(scalar)
                }
            } else if scalar == ";" {
                parameters.append((trimmedSpaces(name).lowercased(), trimmedSpaces(value)))
                (name, value) = (String.UnicodeScalarView(), String.UnicodeScalarView())
                isValue = false
            } else if !isValue {
                if scalar == "=" { isValue = true } else { name.append(scalar) }
            } else if scalar == "\"" {
                isQuoted = true
            } else {
                value.append(scalar)
            }
        }
        return parameters
    }

    private static func trimmedSpaces(_ scalars: String.UnicodeScalarView) -> String {
        String(String(scalars).trimmingSpaces)
    }

    /// Decodes a value such as `UTF-8'en'%E2%82%AC.txt`; nil for another charset, and for bytes that aren't UTF-8.
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
        return String(parts[2]).removingPercentEncoding
    }
}

// MARK: - What a download makes of it

extension Request.Download {
    /// The file that it replaces; nil for a new one.
    var target: URL? { if case .file(let target) = place { target } else { nil } }

    /// What a new file is called.
    func name(for head: HTTPURLResponse) -> String {
        let name = SuggestedFilename(of: head)
        if case .temporary = place { return "Swallow-\(PartFile.number())\(PartFile.number())\(name.ending)" }
        return name.text
    }
}
