import Foundation

extension JSON {
    /// Parses one JSON document, strictly as RFC 8259 specifies.
    ///
    /// The text must be well-formed UTF-8 (§8.1), and surrogates in `\u` escapes must be pairs (§8.2). Only whitespace
    /// may follow the value. A byte order mark at the start is skipped, as §8.1 allows. The top value may have any type
    /// (§2). The limits are 512 levels of nesting, 4 GB of text, and 256 MB for a string or number (§9 allows limits).
    ///
    /// - Throws: ``JSONError`` with the expected text and its position.
    public init(parsing data: Data) throws(JSONError) {
        let parsed = data.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try JSONParser.document(bytes) }
        }
        self.init(try parsed.get(), at: 0)
    }

    /// Parses one JSON document from a string. See ``init(parsing:)-(Data)``.
    public init(parsing text: String) throws(JSONError) {
        var text = text
        let parsed = text.withUTF8 { bytes in
            Result { () throws(JSONError) in try JSONParser.document(UnsafeRawBufferPointer(bytes)) }
        }
        self.init(try parsed.get(), at: 0)
    }
}
