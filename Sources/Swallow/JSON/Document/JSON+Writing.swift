import Foundation

extension JSON {
    /// The value as UTF-8 text without whitespace. ``missing`` is written as `null`.
    ///
    /// Numbers keep their spelling and members their order. Only what RFC 8259 §7 demands is escaped: quotes,
    /// backslashes and control characters. Reading it gives an equal value.
    public var data: Data {
        Data(text(.compact))
    }

    /// The value as ``data``, and if `sortedKeys` is true with each object's members in the order of their
    /// names, of a repeated name the first, so that equal members come out alike.
    public func data(sortedKeys: Bool) -> Data {
        Data(text(sortedKeys ? .sorted : .compact))
    }

    /// The value in several lines, indented by two spaces, as people like to read it.
    public var prettyPrinted: String {
        String(decoding: text(.pretty), as: UTF8.self)
    }

    private func text(_ style: JSONWriter.Style) -> [UInt8] {
        var writer = JSONWriter(style: style)
        writer.write(self)
        return writer.bytes
    }
}

extension JSON: CustomStringConvertible {
    /// The value as text without whitespace. See ``data``.
    public var description: String {
        String(decoding: text(.compact), as: UTF8.self)
    }
}
