/// Builds a document from values. If a value can't be written, the document's ``JSON/fault`` is the reason.
struct JSONBuilder {
    private var buffer = JSONTextBuffer()
    private var words: [UInt64] = []
    private var depth = 0
    private(set) var fault: String?

    static func document(_ build: (inout JSONBuilder) throws -> Void) rethrows -> JSON {
        var builder = JSONBuilder()
        defer { builder.buffer.deallocate() }
        try build(&builder)
        return builder.json
    }

    private init() {}

    private var json: JSON {
        if let fault { return JSON(fault: fault) }
        guard buffer.count <= JSONWord.offsetLimit, words.count <= JSONWord.offsetLimit else {
            return JSON(fault: "more than 4 GB of JSON")
        }
        return JSON(JSONDocument(text: UnsafeRawBufferPointer(buffer.text), words: words), at: 0)
    }

    mutating func fail(_ reason: String) {
        fault = fault ?? reason
    }

    mutating func append(_ string: String) {
        let text = buffer.append(string: string)
        let isEscaped = text.count > string.utf8.count
        let isASCII = buffer.text(text).allSatisfy { $0 < 0x80 }
        appendWord(isEscaped ? .escaped : isASCII ? .ascii : .text, text)
    }

    /// - Precondition: The text is a number as RFC 8259 §6 defines it.
    mutating func append(number text: String) {
        let start = buffer.count
        buffer.append(text: text)
        let isInteger = text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || JSONScanner.isDigit($0) }
        appendWord(isInteger ? .integer : .fraction, start..<buffer.count)
    }

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

    private mutating func isShallow(_ depth: Int) -> Bool {
        if depth < JSONParser.depthLimit { return true }
        fail("more than \(JSONParser.depthLimit) levels of nesting")
        return false
    }

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
                let start = buffer.count
                document.withText(of: word) { buffer.append($0) }
                appendWord(word.kind, start..<buffer.count)
            } else {
                words.append(word.bits)
            }
        }
    }

    private mutating func appendWord(_ kind: JSONWord.Kind, _ text: Range<Int>) {
        guard text.count <= JSONWord.lengthLimit else {
            return fail("more than \(JSONWord.lengthLimit) bytes in a string or number")
        }
        // If the offset exceeds the limit, `json` returns a fault.
        let offset = min(text.lowerBound, JSONWord.offsetLimit)
        words.append(JSONWord(kind, length: text.count, offset: offset).bits)
    }
}

extension JSON {
    init(fault: String) {
        let document = Array(fault.utf8).withUnsafeBytes { JSONDocument(text: $0, words: [], isFault: true) }
        self.init(document, at: -1)
    }
}
