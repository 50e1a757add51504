import Foundation

/// Parses one document into a tape, in one pass and without a stack. While a container is open, its word stores its
/// parent's kind, position and number of parts so far. At its end, the parser continues the parent with these values.
struct JSONParser {
    static let depthLimit = 512

    private let text: JSONMemory
    private let count: Int
    private var tape: JSONMemory

    static func document(_ source: UnsafeRawBufferPointer) throws(JSONError) -> JSONDocument {
        guard source.count <= JSONWord.offsetLimit - JSONDocument.padding else {
            throw JSONError(expected: "a document of less than 4 GB", at: 0, in: source)
        }
        guard var parser = JSONParser(source) else {
            throw JSONError(expected: "a document that fits in memory", at: 0, in: source)
        }
        do {
            let used = try parser.run()
            return parser.finish(used)
        } catch {
            defer {
                parser.text.release()
                parser.tape.release()
            }
            throw error.failure(in: UnsafeRawBufferPointer(start: parser.text.start, count: parser.count))
        }
    }

    private init?(_ source: UnsafeRawBufferPointer) {
        count = source.count
        guard let text = JSONMemory(atLeast: count + JSONDocument.padding) else { return nil }
        guard let tape = JSONMemory(atLeast: (count / 8 + 16) * MemoryLayout<UInt64>.stride) else {
            text.release()
            return nil
        }
        if let base = source.baseAddress { memcpy(text.start, base, count) }
        memset(text.start + count, 0, JSONDocument.padding)
        (self.text, self.tape) = (text, tape)
    }

    private func finish(_ used: Int) -> JSONDocument {
        let size = used * MemoryLayout<UInt64>.stride
        let shrunk = tape.isWorthShrinking(to: size) ? tape.resized(to: size) : nil
        return JSONDocument(text: text, words: shrunk ?? tape, count: used)
    }

    private var words: UnsafeMutablePointer<UInt64> { tape.start.assumingMemoryBound(to: UInt64.self) }

    private var capacity: Int { tape.size / MemoryLayout<UInt64>.stride }

    @inline(never)
    private mutating func grow(for place: JSONScanner.Place) throws(JSONFault) {
        guard let larger = tape.doubled() else {
            throw JSONFault("a document that fits in memory", at: place)
        }
        tape = larger
    }
}

extension JSONParser {
    /// Parses the text and returns the length of the tape. The variables are local, so that they stay in registers.
    private mutating func run() throws(JSONFault) -> Int {
        let start = UnsafePointer(text.start.assumingMemoryBound(to: UInt8.self))
        var words = self.words
        var room = capacity
        var next = 0
        var container = -1
        var count = 0
        var isObject = false
        var depth = 0
        // The expected indentation of the next line, and the additional indentation of a container's parts.
        var (indentation, step) = (0, 0)
        var place = start
        if place[0] == 0xEF, place[1] == 0xBB, place[2] == 0xBF { place += 3 }
        place = JSONScanner.whitespace(place)

        values: while true {
            // Each round writes at most two words.
            if next &+ 2 > room {
                try grow(for: start)
                (words, room) = (self.words, capacity)
            }
            if isObject {
                guard place.pointee == UInt8(ascii: "\"") else {
                    throw JSONFault("a member's name in double quotes", at: place)
                }
                place = JSONScanner.whitespace(try JSONScanner.string(place, of: start, into: words + next))
                next &+= 1
                guard place.pointee == UInt8(ascii: ":") else { throw JSONFault("':'", at: place) }
                place = JSONScanner.whitespace(place + 1)
            }

            switch place.pointee {
            case UInt8(ascii: "\""):
                place = try JSONScanner.string(place, of: start, into: words + next)
                next &+= 1
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                var isFraction = false
                let end = try JSONScanner.number(place, isFraction: &isFraction)
                guard end - place <= JSONWord.lengthLimit else { throw .tooLong(at: place) }
                let kind = isFraction ? JSONWord.Kind.fraction : .integer
                words[next] = JSONWord(kind, length: end - place, offset: place - start).bits
                next &+= 1
                place = end
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard depth < Self.depthLimit else {
                    throw JSONFault("at most \(Self.depthLimit) levels of nesting", at: place)
                }
                let opensObject = place.pointee == UInt8(ascii: "{")
                let kind = opensObject ? JSONWord.Kind.object : .array
                var inner = indentation &+ step
                place = JSONScanner.lineBreak(place + 1, indentation: &inner)
                if place.pointee == (opensObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    words[next] = JSONWord(kind, offset: next &+ 1).bits
                    next &+= 1
                    place += 1
                } else {
                    guard count < JSONWord.lengthLimit else { throw .tooMany(at: place) }
                    // The outermost container has no parent, so its word stores the position 0 instead.
                    let outerKind = isObject ? JSONWord.Kind.object : .array
                    words[next] = JSONWord(outerKind, length: count, offset: max(container, 0)).bits
                    container = next
                    next &+= 1
                    (count, isObject, depth) = (0, opensObject, depth &+ 1)
                    (indentation, step) = (inner, inner &- indentation)
                    continue values
                }
            case UInt8(ascii: "t"):
                guard JSONScanner.load4(place) == 0x6575_7274 else { throw .literal("true", at: place) }
                words[next] = JSONWord(.true).bits
                next &+= 1
                place += 4
            case UInt8(ascii: "f"):
                guard JSONScanner.load4(place + 1) == 0x6573_6C61 else { throw .literal("false", at: place) }
                words[next] = JSONWord(.false).bits
                next &+= 1
                place += 5
            case UInt8(ascii: "n"):
                guard JSONScanner.load4(place) == 0x6C6C_756E else { throw .literal("null", at: place) }
                words[next] = JSONWord(.null).bits
                next &+= 1
                place += 4
            default: throw JSONFault("a value", at: place)
            }

            while true {
                if container < 0 {
                    place = JSONScanner.whitespace(place)
                    break values
                }
                count &+= 1
                if place.pointee == UInt8(ascii: ",") {
                    place = JSONScanner.lineBreak(place + 1, indentation: &indentation)
                    continue values
                }
                var outerIndentation = indentation &- step
                place = JSONScanner.lineBreak(place, indentation: &outerIndentation)
                if place.pointee == UInt8(ascii: ",") {
                    place = JSONScanner.whitespace(place + 1)
                    continue values
                }
                guard place.pointee == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw JSONFault(isObject ? "',' or '}'" : "',' or ']'", at: place)
                }
                guard count <= JSONWord.lengthLimit else { throw .tooMany(at: place) }
                place += 1
                depth &-= 1
                let outer = JSONWord(bits: words[container])
                words[container] = JSONWord(isObject ? .object : .array, length: count, offset: next).bits
                container = container == 0 ? -1 : outer.offset
                (count, isObject, indentation) = (outer.length, outer.kind == .object, outerIndentation)
            }
        }
        guard place == start + self.count else { throw JSONFault("the end of the document", at: place) }
        return next
    }
}
