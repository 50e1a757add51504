import Foundation

extension JSON {
    /// Reads one JSON document, strictly by RFC 8259.
    ///
    /// The text must be well-formed UTF-8 (§8.1), every `\u` surrogate half of a pair (§8.2), and nothing
    /// may follow the value but whitespace. A byte order mark in front is skipped, as §8.1 allows. Any value
    /// may stand at the top (§2). Arrays and objects may nest 512 deep, the text be 4 GB long, and a string
    /// or number in it 256 MB (limits §9 leaves to us).
    ///
    /// - Throws: ``JSONError``, which says what was expected, and where.
    public init(parsing data: Data) throws(JSONError) {
        let parsed = data.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try JSONParser.document(bytes) }
        }
        self.init(try parsed.get(), at: 0)
    }

    /// Reads one JSON document from text. See ``init(parsing:)-(Data)``.
    public init(parsing text: String) throws(JSONError) {
        var text = text
        let parsed = text.withUTF8 { bytes in
            Result { () throws(JSONError) in try JSONParser.document(UnsafeRawBufferPointer(bytes)) }
        }
        self.init(try parsed.get(), at: 0)
    }
}
