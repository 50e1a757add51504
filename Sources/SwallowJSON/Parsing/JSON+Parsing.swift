import Foundation

extension JSON {
    /// Parses one JSON document, strictly as RFC 8259 specifies.
    ///
    /// The text must be well-formed UTF-8 (§8.1), and surrogates in `\u` escapes must be pairs (§8.2). A byte order
    /// mark at the start is skipped, as §8.1 allows. The limits (§9) are 512 levels of nesting, less than 4 GiB of
    /// text, less than 256 MiB for a string or number, and fewer than 2^28 elements or members in a container.
    ///
    /// - Throws: ``JSONError`` with the expected text and its position.
    public init(parsing data: Data) throws(JSONError) {
        let parsed = data.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try JSONParser.document(bytes) }
        }
        self.init(try parsed.get(), at: 0)
    }

    /// Parses one JSON document from a string, as ``init(parsing:)-(Data)`` does.
    public init(parsing text: String) throws(JSONError) {
        var text = text
        let parsed = text.withUTF8 { bytes in
            Result { () throws(JSONError) in try JSONParser.document(UnsafeRawBufferPointer(bytes)) }
        }
        self.init(try parsed.get(), at: 0)
    }
}
