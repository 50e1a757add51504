import Foundation
import Testing

@testable import Swallow

private typealias Sent = ServerSentEvent

@Suite("Server-sent events are parsed as WHATWG HTML §9.2.6 specifies")
struct EventStreamParserTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let text: String
        let events: [ServerSentEvent]
        let testDescription: String

        init(_ description: String, _ text: String, _ events: ServerSentEvent...) {
            testDescription = description
            self.text = text
            self.events = events
        }
    }

    static let samples: [Sample] = [
        Sample("data", "data: a\n\n", Sent(data: "a")),
        Sample("two lines of data", "data: YHOO\ndata: +2\ndata: 10\n\n", Sent(data: "YHOO\n+2\n10")),
        Sample(
            "the standard's second stream",
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            Sent(id: "1", data: "first event"), Sent(data: "second event"), Sent(data: " third event")),
        Sample(
            "the standard's third stream", "data\n\ndata\ndata\n\ndata:", Sent(data: ""), Sent(data: "\n")),
        Sample("one space or none", "data:test\n\ndata: test\n\n", Sent(data: "test"), Sent(data: "test")),
        Sample(
            "types", "event: add\ndata: 7\n\ndata: 8\n\n", Sent(event: "add", data: "7"), Sent(data: "8")),
        Sample("an event without data", "event: add\n\ndata: 8\n\n", Sent(data: "8")),
        Sample("an id without data", "id: 4\n\ndata: 8\n\n", Sent(id: "4", data: "8")),
        Sample(
            "an id that stays", "id: 4\ndata: a\n\ndata: b\n\n", Sent(id: "4", data: "a"),
            Sent(id: "4", data: "b")),
        Sample(
            "an id with NUL", "id: 4\ndata: a\n\nid: 5\u{0}\ndata: b\n\n", Sent(id: "4", data: "a"),
            Sent(id: "4", data: "b")),
        Sample(
            "retry", "retry: 1500\ndata: a\n\ndata: b\n\n", Sent(data: "a", retry: .milliseconds(1500)),
            Sent(data: "b")),
        Sample("retry with a sign", "retry: +15\ndata: a\n\n", Sent(data: "a")),
        Sample("retry with other digits", "retry: ١٥\ndata: a\n\n", Sent(data: "a")),
        Sample("retry without digits", "retry:\ndata: a\n\n", Sent(data: "a")),
        Sample(
            "retry that overflows", "retry: 99999999999999999999\ndata: a\n\n",
            Sent(data: "a", retry: .century)),
        Sample("comments", ":\n: data: a\n:data\n\ndata: b\n\n", Sent(data: "b")),
        Sample("unknown fields", "Data: a\ndatas: b\n data: c\nx\n\ndata: d\n\n", Sent(data: "d")),
        Sample("a colon in the value", "data: a: b\n\n", Sent(data: "a: b")),
        Sample("a byte order mark", "\u{FEFF}data: a\n\n", Sent(data: "a")),
        Sample("a second byte order mark", "\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", Sent(data: "b")),
        Sample("a later byte order mark", "data: a\n\n\u{FEFF}data: b\n\n", Sent(data: "a")),
        Sample("CR", "data: a\rdata: b\r\rdata: c\r\r", Sent(data: "a\nb"), Sent(data: "c")),
        Sample(
            "CR and LF", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", Sent(data: "a\nb"), Sent(data: "c")),
        Sample(
            "mixed ends", "data: a\n\r\ndata: b\r\n\rdata: c\r\r", Sent(data: "a"), Sent(data: "b"),
            Sent(data: "c")),
        Sample("LF and CR", "data: a\n\rdata: b\n\r", Sent(data: "a"), Sent(data: "b")),
        Sample("an event that isn't complete", "data: a\n\ndata: b\n", Sent(data: "a")),
        Sample(
            "text that is not ASCII", "event: é\ndata: 🐦\u{2028}\n\n", Sent(event: "é", data: "🐦\u{2028}")),
        Sample("empty lines", "\n\n\r\n\rdata: a\n\n\n", Sent(data: "a")),
        Sample("nothing", ""),
    ]

    @Test("Events are the same wherever the bytes are divided", arguments: samples, [1, 2, 3, 5, 7, 1000])
    func events(of sample: Sample, size: Int) throws {
        #expect(try parsed(Data(sample.text.utf8), size: size).events == sample.events)
    }

    @Test("An event is complete with the CR that ends it, before the LF that may follow")
    func carriageReturn() throws {
        var parser = EventStreamParser(limit: 1000)
        parser.append(Data("data: a\r\r".utf8))
        #expect(try parser.next() == ServerSentEvent(data: "a"))
        parser.append(Data("\ndata: b\r".utf8))
        #expect(try parser.next() == nil)
        parser.append(Data("\n\r".utf8))
        #expect(try parser.next() == ServerSentEvent(data: "b"))
    }

    @Test("Bytes that aren't UTF-8 are replaced", arguments: [1, 100])
    func notUTF8(size: Int) throws {
        let bytes = Data("data: a".utf8) + [0xC3, 0x0A, 0x0A]
        #expect(try parsed(bytes, size: size).events == [ServerSentEvent(data: "a\u{FFFD}")])
    }

    @Test("The ID and the retry time remain after their event, even if that has no data")
    func outliving() throws {
        let parser = try parsed(Data("id: 7\nretry: 20\n\n".utf8), size: 4).parser
        #expect(parser.lastEventID == "7")
        #expect(parser.reconnectionTime == .milliseconds(20))
    }

    @Test("An ID counts only after its event is complete")
    func incompleteID() throws {
        #expect(try parsed(Data("id: 7\ndata: a\n\nid: 8\ndata: b".utf8), size: 4).parser.lastEventID == "7")
    }

    @Test("An event that is too long fails", arguments: [1, 100])
    func overflow(size: Int) throws {
        let long = String(repeating: "a", count: 60)
        #expect(
            try parsed(Data("data: \(long)\n\ndata: \(long)\n\n".utf8), size: size, limit: 70).events.count
                == 2)
        let (event, line) = ("data: \(long)\ndata: \(long)\n\n", "data: \(long)\(long)")
        for text in [event, line, "data: \(long)\ndata: \(long)"] {
            #expect(throws: LineSplitter.Overflow.self) {
                try parsed(Data(text.utf8), size: size, limit: 70)
            }
        }
    }

    @discardableResult
    private func parsed(
        _ bytes: Data, size: Int, limit: Int = 1 << 20
    ) throws -> (events: [ServerSentEvent], parser: EventStreamParser) {
        var parser = EventStreamParser(limit: limit)
        var events: [ServerSentEvent] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            parser.append(Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
            while let event = try parser.next() { events.append(event) }
        }
        return (events, parser)
    }
}
