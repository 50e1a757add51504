import ByteScan
import Foundation
import SwallowJSON
import Testing

@Suite("JSON: scanning")
struct JSONScanningTests {
    @Test("Vectors and the portable form see the same in every byte, at every place")
    func portable() {
        for byte in UInt8.min...UInt8.max {
            for filler in [UInt8(ascii: " "), UInt8(ascii: "a"), 0xC3] {
                for place in 0..<32 {
                    var block = [UInt8](repeating: filler, count: 32)
                    block[place] = byte
                    expectSame(block)
                }
            }
            for place in 0..<32 {
                var block = Array("東京都に住んでいます。！".utf8.prefix(32))
                block[place] = byte
                expectSame(block)
            }
        }
        var generator = SystemRandomNumberGenerator()
        let bytes: [UInt8] = [0x20, 0x20, 0x20, 0x09, 0x0A, 0x22, 0x5C, 0x41, 0x7F, 0x80, 0xFF, 0x1F, 0]
        for _ in 0..<2000 {
            expectSame((0..<32).map { _ in bytes.randomElement(using: &generator) ?? 0 })
        }
    }

    /// All that is asked of a block, by vectors, by the portable forms, and as it should be.
    private func expectSame(_ block: [UInt8]) {
        let spaces = UInt32(block.firstIndex { $0 != 0x20 } ?? 32)
        let plain = UInt32(block.firstIndex { $0 < 0x20 || $0 >= 0x80 || $0 == 0x22 || $0 == 0x5C } ?? 32)
        let triples = UInt32(3 * triples(in: block))
        block.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            let stops = byte_scan_stops(start)
            let vectors = [
                byte_scan_spaces(start), byte_scan_plain(start), stops == 0 ? 16 : byte_scan_place(stops),
                byte_scan_triples(start),
            ]
            let portable = [
                byte_scan_spaces_portable(start), byte_scan_plain_portable(start),
                byte_scan_triples_portable(start),
            ]
            let isSame =
                vectors == [spaces, plain, min(plain, 16), triples]
                && portable == [spaces, min(plain, 16), triples]
            if !isSame { Issue.record("\(block): \(vectors), \(portable)") }
        }
    }

    /// How many characters of three bytes begin a block, of the first five: E0 and ED may begin no well-formed one.
    private func triples(in block: [UInt8]) -> Int {
        let starts = stride(from: 0, to: 15, by: 3)
        let end = starts.first { start in
            let isRare = block[start] == 0xE0 || block[start] == 0xED
            let text = String(validating: block[start..<start + 3], as: UTF8.self)
            return isRare || text?.unicodeScalars.count != 1
        }
        return (end ?? 15) / 3
    }

    @Test("Strings and whitespace of every length around the scanner's widths are read to their end")
    func lengths() throws {
        for length in 0...130 {
            let text = String(repeating: "x", count: length)
            let space = String(repeating: " ", count: length)
            for tail in ["", "é", "\\n", "\\u00e9", "€", "😀"] {
                let json = try JSON(
                    parsing: "\n\(space)[\(space)\"\(text)\(tail)\(text)\"\r\n\t\(space)]\(space)")
                let expected = text + (tail == "\\n" ? "\n" : tail == "\\u00e9" ? "é" : tail) + text
                #expect(json[0].string == expected)
            }
            for fault in ["\u{1}", "\n", "\\x"] {
                let error = #expect(throws: JSONError.self) { try JSON(parsing: "[\"\(text)\(fault)\"]") }
                #expect(error?.offset == 2 + length)
            }
            #expect(throws: JSONError.self) { try JSON(parsing: "[\"\(text)") }
            #expect(throws: JSONError.self) { try JSON(parsing: "[1\(space)") }
        }
    }

    @Test("A document reads the same however its lines are indented, also where no two lines are alike")
    func indentation() throws {
        let plain = #"[{"a":[1,2,{"b":[],"c":{}}],"d":"x"},[[true,null],-1.5e3],{"e":{"f":{"g":"é"}}}]"#
        let expected = try JSON(parsing: plain)
        let spaces = [0, 1, 2, 4, 30, 31, 32, 33, 63, 64, 65, 200].map { String(repeating: " ", count: $0) }
        let lines = ["\n", "\r\n", "\n\n", "\n\t", "\t", ""]
        for _ in 0..<300 {
            let text = plain.reduce(into: "") { text, character in
                guard "{}[],:".contains(character) else { return text.append(character) }
                let gaps = (0..<2).map { _ in (lines.randomElement() ?? "") + (spaces.randomElement() ?? "") }
                text += gaps[0] + String(character) + gaps[1]
            }
            #expect(try JSON(parsing: text) == expected)
        }
        for width in 0...40 {
            #expect(try JSON(parsing: pretty(expected, width, "\n")) == expected)
        }
    }

    private func pretty(_ json: JSON, _ width: Int, _ margin: String) -> String {
        let inner = margin + String(repeating: " ", count: width)
        if json.count > 0, json.array != nil {
            let parts = json.elements.map { pretty($0, width, inner) }
            return "[" + inner + parts.joined(separator: "," + inner) + margin + "]"
        }
        if json.count > 0 {
            let parts = json.members.map { "\"\($0.key)\": " + pretty($0.value, width, inner) }
            return "{" + inner + parts.joined(separator: "," + inner) + margin + "}"
        }
        return json.description
    }

    @Test(
        "Every character of two to four bytes is read and every malformed one refused, wherever it stands in a run"
    )
    func characters() throws {
        let runs = ["", "a", "ああああ", "あああああ日é"]
        for lead in UInt8(0x80)...0xFF {
            for second in [0x22, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0] as [UInt8] {
                for rest in [[], [0x80], [0xBF, 0x80], [0xBF, 0x22], [0xBF, 0xC0]] as [[UInt8]] {
                    let bytes = [lead, second] + rest
                    for run in runs {
                        let text = Array("\"\(run)".utf8) + bytes + Array("\(run)あ\"".utf8)
                        let isLegal = String(validating: text, as: UTF8.self) != nil && !bytes.contains(0x22)
                        let string = try? JSON(parsing: Data(text)).string
                        let expected = String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
                        if string != (isLegal ? expected : nil) { Issue.record("\(text)") }
                    }
                }
            }
        }
    }

    @Test("Documents whose memory is used again keep their own content")
    func memory() async throws {
        let text = { @Sendable (number: Int) in
            "[" + Array(repeating: #"{"number":\#(number),"text":"é"}"#, count: 4000).joined(separator: ", ")
                + "]"
        }
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<16 {
                group.addTask {
                    var kept: [JSON] = []
                    for round in 0..<6 {
                        guard let json = try? JSON(parsing: text(number * 10 + round)) else { return false }
                        if round.isMultiple(of: 2) { kept.append(json) }
                    }
                    return zip([0, 2, 4], kept).allSatisfy { round, json in
                        json.elements.allSatisfy {
                            $0["number"].int == number * 10 + round && $0["text"] == "é"
                        }
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
