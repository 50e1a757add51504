/// Puts a document together from values, each with its own document or none yet.
///
/// Its bytes are those of strings and numbers, one after the other; only the tape says what is
/// around them. What can't be written makes a ``JSON/fault`` of the whole.
struct JSONBuilder {
    private var bytes: [UInt8] = []
    private var words: [UInt64] = []
    /// How many containers are around the next value.
    private var depth = 0
    private(set) var fault: String?

    static func document(_ build: (inout JSONBuilder) -> Void) -> JSON {
        var builder = JSONBuilder()
        build(&builder)
        return builder.json
    }

    var json: JSON {
        if let fault { return JSON(fault: fault) }
        guard bytes.count <= JSONWord.offsetLimit, words.count <= JSONWord.offsetLimit else {
            return JSON(fault: "more than 4 GB of JSON")
        }
        return JSON(JSONDocument(bytes: bytes, words: words), at: 0)
    }

    /// Notes why the value can't be written; the first reason stays.
    mutating func fail(_ reason: String) {
        fault = fault ?? reason
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
    mutating func append(
        _ kind: JSONWord.Kind, count: Int, _ appendParts: (inout JSONBuilder) throws -> Void
    ) rethrows {
        let start = words.count
        words.append(JSONWord(.null).bits)
        guard isShallow(depth), count <= JSONWord.lengthLimit else {
            return fail("more than \(JSONWord.lengthLimit) elements or members in one container")
        }
        depth += 1
        try appendParts(&self)
        depth -= 1
        words[start] = JSONWord(kind, length: count, offset: words.count).bits
    }

    /// Whether a container may begin at a depth; notes a fault where it may not.
    private mutating func isShallow(_ depth: Int) -> Bool {
        if depth < JSONParser.depthLimit { return true }
        fail("more than \(JSONParser.depthLimit) levels of nesting")
        return false
    }

    /// Appends a copy of a value; of ``JSON/missing`` a `null`.
    mutating func append(_ json: JSON) {
        if let fault = json.fault { return fail(fault) }
        guard let document = json.document else { return words.append(JSONWord(.null).bits) }
        let shift = words.count - json.position
        var ends: [Int] = []
        for position in json.position..<document.end(of: json.position) {
            let word = document.word(at: position)
            while let end = ends.last, end <= position { ends.removeLast() }
            if word.isContainer {
                guard isShallow(depth + ends.count) else { return }
                ends.append(word.offset)
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
            fail("more than \(JSONWord.lengthLimit) bytes in a string or number")
        }
    }
}

extension JSON {
    init(fault: String) {
        self.init(JSONDocument(fault: fault), at: -1)
    }
}
