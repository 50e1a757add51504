import Foundation

extension JSON {
    /// The value as compact UTF-8 text. ``missing`` is written as `null`.
    ///
    /// Numbers keep their spelling, and members keep their order. Only required characters are escaped (RFC 8259 §7).
    ///
    /// A value can't be written if it contains, for example, a number that isn't finite, or more than 512 levels of
    /// nesting. Its `data` is empty, its ``description`` contains the reason, and encoding or sending it fails.
    public var data: Data {
        data(sortedKeys: false)
    }

    /// Returns the compact text. If names are sorted, only the first of several members with the same name is written.
    package func data(sortedKeys: Bool) -> Data {
        data(sortedKeys ? .sorted : .compact)
    }

    func data(_ style: JSONWriter.Style) -> Data {
        withText(style) { $0.data }
    }

    /// The value as text with line breaks. Each level is indented by two more spaces.
    public var prettyPrinted: String {
        withText(.pretty) { String(decoding: $0.text, as: UTF8.self) }
    }

    func written() throws -> Data {
        try checkFault(at: [])
        return data
    }

    func checkFault(at path: [any CodingKey]) throws {
        if let fault {
            throw EncodingError.invalidValue(self, .init(codingPath: path, debugDescription: fault))
        }
    }

    private func withText<Result>(_ style: JSONWriter.Style, _ body: (JSONTextBuffer) -> Result) -> Result {
        var writer = JSONWriter(style)
        defer { writer.buffer.deallocate() }
        writer.write(self)
        return body(writer.buffer)
    }
}

extension JSON: CustomStringConvertible {
    /// The value as compact text, `missing`, or the reason why it can't be written.
    public var description: String {
        if let fault { return "invalid: \(fault)" }
        return exists ? withText(.compact) { String(decoding: $0.text, as: UTF8.self) } : "missing"
    }
}
