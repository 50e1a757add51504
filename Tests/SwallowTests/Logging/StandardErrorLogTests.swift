import Foundation
import TestSupport
import Testing

@testable import Swallow

@Suite("Standard error log")
struct StandardErrorLogTests {
    private let pipe = Pipe()

    private func lines() throws -> [Substring] {
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(text.isEmpty || text.hasSuffix("\n"))
        return text.split(separator: "\n")
    }

    @Test(
        "The log writes events of its level and above",
        arguments: [(LogEvent.Level.debug, 11), (.info, 6), (.error, 2)])
    func levels(level: LogEvent.Level, count: Int) throws {
        let log = LineWriter(pipe.fileHandleForWriting).log(level)
        let events = try everyEvent("x")
        for event in events { log(event) }
        let expected = events.filter { $0.level >= level }.map { "Swallow: \($0)" }
        #expect(try lines().map(String.init) == expected)
        #expect(expected.count == count)
    }

    @Test("The log writes one line for each event, whatever the event contains")
    func oneLine() throws {
        let log = LineWriter(pipe.fileHandleForWriting).log(.debug)
        for event in try everyEvent("a\r\nSwallow: forged\u{2028}b") { log(event) }
        let lines = try lines()
        #expect(lines.count == 11)
        #expect(lines.allSatisfy { $0.hasPrefix("Swallow: ") })
    }

    @Test("Long lines that many threads write concurrently are not mixed")
    func concurrentWrites() async throws {
        let writer = LineWriter(pipe.fileHandleForWriting)
        let writers = 4
        let lineCount = 40
        async let data = onThread { [pipe] in pipe.fileHandleForReading.readDataToEndOfFile() }
        try await withThrowingTaskGroup { group in
            for index in 0..<writers {
                group.addTask {
                    try await onThread {
                        let log = writer.log(.debug)
                        let text = String(repeating: "\(index)", count: 20_000)
                        for _ in 0..<lineCount { log(.misconfigured(text)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        try pipe.fileHandleForWriting.close()
        let lines = String(decoding: try await data, as: UTF8.self).split(separator: "\n")
        let expected = (0..<writers).map {
            Substring("Swallow: misconfigured: " + String(repeating: "\($0)", count: 20_000))
        }
        #expect(lines.count == writers * lineCount)
        for line in expected { #expect(lines.count { $0 == line } == lineCount) }
    }

    @Test("A line to a closed descriptor is dropped")
    func closed() throws {
        let writer = LineWriter(pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        writer.write("x")
        writer.log(.debug)(.misconfigured("x"))
        #expect(try pipe.fileHandleForReading.readToEnd() == nil)
    }
}
