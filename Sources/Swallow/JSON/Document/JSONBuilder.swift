/// Puts a document together from values, each with its own document or none yet.
///
/// Its bytes are those of strings and numbers only, one after the other: nothing but the tape says what is
/// around them. A document beyond the limits of ``JSONWord`` becomes `null`.
struct JSONBuilder {
    private var bytes: [UInt8] = []
    private var words: [UInt64] = []

    static func document(_ build: (inout JSONBuilder) -> Void) -> JSON {
        var builder = JSONBuilder()
        build(&builder)
        guard builder.bytes.count <= JSONWord.offsetLimit, builder.words.count <= JSONWord.offsetLimit else {
            return .null
        }
        return JSON(JSONDocument(bytes: builder.bytes, words: builder.words), at: 0)
    }

    mutating func append(_ string: String) {
        let start = bytes.count
        let kind = JSONString.append(string, to: &bytes)
        appendWord(kind, from: start)
    }

    /// Appends a number by a spelling that RFC 8259 §6 allows.
    mutating func append(number text: String) {
        let start = bytes.count
        bytes += text.utf8
        let isInteger = text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || JSONScanner.isDigit($0) }
        appendWord(isInteger ? .integer : .fraction, from: start)
    }

    /// Appends a container of these many elements or members, which `appendParts` appends.
    mutating func append(_ kind: JSONWord.Kind, count: Int, _ appendParts: (inout JSONBuilder) -> Void) {
        let start = words.count
        words.append(JSONWord(.null).bits)
        appendParts(&self)
        guard count <= JSONWord.lengthLimit else { return replace(from: start) }
        words[start] = JSONWord(kind, length: count, offset: words.count).bits
    }

    /// Appends a copy of a value; of ``JSON/missing`` a `null`.
    mutating func append(_ json: JSON) {
        guard let document = json.document else { return words.append(JSONWord(.null).bits) }
        let shift = words.count - json.position
        for position in json.position..<document.end(of: json.position) {
            let word = document.word(at: position)
            if word.isContainer {
                words.append(JSONWord(word.kind, length: word.length, offset: word.offset + shift).bits)
            } else if word.isString || word.isNumber {
                let start = bytes.count
                document.withText(of: word) { bytes += $0 }
                appendWord(word.kind, from: start)
            } else {
                words.append(word.bits)
            }
        }
    }

    private mutating func appendWord(_ kind: JSONWord.Kind, from start: Int) {
        let length = bytes.count - start
        let start32 = min(start, JSONWord.offsetLimit)
        if length <= JSONWord.lengthLimit {
            words.append(JSONWord(kind, length: length, offset: start32).bits)
        } else {
            bytes.removeSubrange(start...)
            words.append(JSONWord(.null).bits)
        }
    }

    private mutating func replace(from start: Int) {
        words.removeSubrange(start...)
        words.append(JSONWord(.null).bits)
    }
}
