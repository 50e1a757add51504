import ByteScan
import Foundation
import Swallow
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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
        }
        var generator = SystemRandomNumberGenerator()
        let bytes: [UInt8] = [0x20, 0x20, 0x20, 0x09, 0x0A, 0x22, 0x5C, 0x41, 0x7F, 0x80, 0xFF, 0x1F, 0]
        for _ in 0..<2000 {
            expectSame((0..<32).map { _ in bytes.randomElement(using: &generator) ?? 0 })
        }
    }

    private func expectSame(_ block: [UInt8]) {
        let spaces = block.firstIndex { $0 != 0x20 } ?? 32
        let plain = block.prefix(16).firstIndex { $0 < 0x20 || $0 >= 0x80 || $0 == 0x22 || $0 == 0x5C } ?? 16
        let found = block.withUnsafeBufferPointer { bytes -> [UInt32] in
            guard let start = bytes.baseAddress else { return [] }
            return [
                byte_scan_spaces(start), byte_scan_spaces_portable(start), byte_scan_plain(start),
                byte_scan_plain_portable(start),
            ]
        }
        #expect(found == [UInt32(spaces), UInt32(spaces), UInt32(plain), UInt32(plain)], "\(block)")
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

    @Test("Nothing is read past the end of the bytes that are given, whose next page can't be read")
    func pageGuard() throws {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let mapping = mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        let start = try #require(mapping == MAP_FAILED ? nil : mapping)
        defer { munmap(start, 2 * page) }
        try #require(mprotect(start + page, page, PROT_NONE) == 0)
        for text in [
            "1", "[1.5e3", #"{"name":"valu"#, #"["é\"#, "[\"\u{20AC}", "[   ", "true", "tru", #"["\u12"#,
            "[1,2]",
        ] {
            let bytes = Array(text.utf8)
            let place = start + page - bytes.count
            place.copyMemory(from: bytes, byteCount: bytes.count)
            let data = Data(bytesNoCopy: place, count: bytes.count, deallocator: .none)
            #expect((try? JSON(parsing: data)) == (try? JSON(parsing: text)))
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
