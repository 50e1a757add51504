import ByteScan
import Foundation
import Testing

@testable import SwallowJSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Parses documents that end directly before unreadable memory. A read past the end crashes the process.
@Suite("JSON: memory before an unreadable page")
struct JSONPageGuardTests {
    private static let documents = [
        "1", "-0.5e-10", "true", "false", "null", "[]", "{}",
        "[1.5e3,1234567890123456789012345678901234567890.5]",
        #"{"name":"value","other":{"a":[1,2,{"b":null}]},"n":[true,false]}"#,
        #"["é\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00","東京都に住んでいます。","ࠀ한😀日本語"]"#,
        "[\n    {\n        \"a\": 1,\n        \"b\": [\n            2,\n            3\n        ]\n    }\n]\n",
        "\u{FEFF} [ \r\n\t1 , \"" + String(repeating: "x", count: 70) + "\" ]"
            + String(repeating: " ", count: 70),
        "[" + String(repeating: "\n", count: 20) + String(repeating: " ", count: 40) + "\""
            + String(repeating: "あ", count: 30) + "\"]",
    ]

    @Test("Parsing reads nothing past the end of its bytes, for complete and truncated documents")
    func parsing() throws {
        try withGuardedMemory { end in
            for document in Self.documents {
                let bytes = Array(document.utf8)
                for count in 0...bytes.count {
                    let start = end - count
                    start.copyMemory(from: bytes, byteCount: count)
                    let guarded = Data(bytesNoCopy: start, count: count, deallocator: .none)
                    #expect(verdict(guarded) == verdict(Data(bytes.prefix(count))))
                }
            }
        }
    }

    private func verdict(_ data: Data) -> Result<JSON, JSONError> {
        Result { () throws(JSONError) in try JSON(parsing: data) }
    }

    @Test("Scanning text reads nothing past its padding")
    func padding() throws {
        try withGuardedMemory { end in
            for document in Self.documents {
                let bytes = Array(document.utf8)
                for count in 0...bytes.count {
                    let start = end - JSONDocument.padding - count
                    start.copyMemory(from: bytes, byteCount: count)
                    memset(start + count, 0, JSONDocument.padding)
                    expectInside(start.assumingMemoryBound(to: UInt8.self), count)
                }
            }
        }
    }

    /// Calls every function of the scanner at every place in the text.
    private func expectInside(_ start: UnsafeMutablePointer<UInt8>, _ count: Int) {
        let text = JSONScanner.Place(start)
        for place in text...(text + count) {
            var (isFraction, word, indentation) = (false, UInt64(0), 4)
            let ends = [
                JSONScanner.whitespace(place), JSONScanner.lineBreak(place, indentation: &indentation),
                try? JSONScanner.number(place, isFraction: &isFraction),
                place.pointee == UInt8(ascii: "\"")
                    ? try? JSONScanner.string(place, of: text, into: &word) : nil,
            ]
            let areInside = ends.allSatisfy { $0.map { $0 >= place && $0 <= text + count } ?? true }
            if !areInside { Issue.record("an end is outside \(text)…\(text + count)") }
        }
    }

    @Test("Scanning a block reads nothing past the block")
    func blocks() throws {
        try withGuardedMemory { end in
            memset(end - 96, 0x20, 96)
            let (narrow, wide) = (
                JSONScanner.Place((end - 16).assumingMemoryBound(to: UInt8.self)),
                JSONScanner.Place((end - 32).assumingMemoryBound(to: UInt8.self))
            )
            #expect(byte_scan_spaces(wide) == 32 && byte_scan_spaces_portable(wide) == 32)
            #expect(byte_scan_plain(wide) == 32 && byte_scan_plain_portable(narrow) == 16)
            #expect(byte_scan_stops(narrow) == 0)
            (end - 1).storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
            #expect(byte_scan_plain_end(wide - 64) == wide + 31)
            (end - 46).copyMemory(from: Array("ああああああああああ".utf8), byteCount: 30)
            #expect(byte_scan_triples(wide - 14) == 15 && byte_scan_triples_portable(wide - 14) == 15)
            #expect(byte_scan_triples_end(wide - 14) == narrow)
        }
    }

    /// Calls `body` with the end of readable memory. The memory after it isn't readable.
    private func withGuardedMemory(_ body: (UnsafeMutableRawPointer) throws -> Void) throws {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let mapping = mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        let start = try #require(mapping == MAP_FAILED ? nil : mapping)
        defer { munmap(start, 2 * page) }
        try #require(mprotect(start + page, page, PROT_NONE) == 0)
        try body(start + page)
    }
}
