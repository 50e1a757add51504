import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A safe name for the file of a response's body. It is the server's suggestion without the characters that would hide the
/// file or lead out of its folder.
struct SuggestedFilename: Sendable {
    let text: String

    /// Creates the name from `Content-Disposition` (RFC 6266 §4.3). If that isn't possible, the name is the last component of
    /// the URL's path, or `download`.
    init(of head: HTTPURLResponse) {
        let field = head.value(forHTTPHeaderField: "Content-Disposition")
        let name = Self.cleaned(field.flatMap(Self.name(inDisposition:)) ?? "")
        self.init(name.isEmpty ? head.url?.lastPathComponent ?? "" : name)
    }

    /// Creates a safe name from any text. If no character of it is safe, the name is `download`.
    init(_ suggestion: String) {
        let name = Self.cleaned(suggestion)
        text = name.isEmpty ? "download" : name
    }

    /// Returns the text without path separators, invisible characters and a leading dot, shortened to 200 bytes.
    private static func cleaned(_ suggestion: String) -> String {
        let last =
            suggestion.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
            .last ?? []
        let visible = last.filter { !isInvisible($0) && $0 != ":" }
        let name = trimmed(String(String.UnicodeScalarView(visible)))
        // The file must not have the name of a partial file, which a later download to another target would continue.
        let isPartialFile = name.lowercased().contains(".swallow-")
        return shortened(isPartialFile ? name.replacingScalar(".", with: "-") : name)
    }

    /// The extension with its dot, or an empty string.
    var ending: String { Self.parts(of: text).ending }

    /// Returns the name with a number before its extension. The number 1 isn't added.
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

    /// Whether a scalar is a control character, has no width (so that different names could look the same), or changes the
    /// direction of the text (so that a program could look like an `exe.pdf`).
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
        // The last character may be incomplete.
        while stem.last == "\u{FFFD}" { stem.removeLast() }
        return stem + ending
    }
}

// MARK: - Content-Disposition

extension SuggestedFilename {
    /// Returns the value of `filename*`. If it is missing, empty or can't be decoded, returns the value of `filename`.
    private static func name(inDisposition field: String) -> String? {
        var scanner = FieldScanner(field)
        let parameters = scanner.parameters()
        return parameters["filename*"].flatMap(extended) ?? parameters["filename"]
    }

    /// Decodes a value such as `UTF-8'en'%E2%82%AC.txt` (RFC 8187 §3.2). Returns nil if it is empty or can't be decoded.
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[2].isEmpty,
            let bytes = PercentEncoding.decode(parts[2])
        else { return nil }
        return try? TextDecoding.text(of: Data(bytes), charset: String(parts[0]))
    }
}

// MARK: - The file of a download

extension Request.Download {
    /// The file that the download replaces, or `nil` if it creates a new file.
    var target: URL? { if case .file(let target) = place { target } else { nil } }

    /// Returns the name of a new file.
    func name(for head: HTTPURLResponse) -> String {
        let name = SuggestedFilename(of: head)
        if case .temporary = place {
            return "Swallow-\(PartialFile.number())\(PartialFile.number())\(name.ending)"
        }
        return name.text
    }
}
