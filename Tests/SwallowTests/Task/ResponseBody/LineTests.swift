import Foundation
import TestSupport
import Testing

import Swallow

@Suite("Lines of a body")
struct LineTests {
    private let source = StreamingDataSource()
    private var service: WebService { .test(source) }

    @Test(
        "LF and CRLF end a line, wherever the body parts are divided",
        arguments: [
            ("a\nb\n", ["a", "b"]), ("a\r\nb", ["a", "b"]), ("a\rb\n", ["a\rb"]), ("\n\n", ["", ""]),
            ("", []),
            ("a\r", ["a\r"]), ("a\r\r\n", ["a\r"]), ("é\n🐦", ["é", "🐦"]),
            ("long line\nx", ["long line", "x"]),
        ], [1, 2, 3, 100])
    func ends(_ sample: (text: String, lines: [String]), size: Int) async throws {
        let task = service.GET("/")
        let reading = Task {
            var lines: [String] = []
            for try await line in task.lines { lines.append(line) }
            return lines
        }
        let exchange = await source.exchange
        exchange.head()
        var rest = Data(sample.text.utf8)[...]
        while !rest.isEmpty {
            exchange.send(Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        exchange.end()
        #expect(try await reading.value == sample.lines)
    }

    @Test(
        "A line as long as the limit is read, and a longer one fails the loop and cancels the task",
        arguments: ["\n", "\r\n", ""])
    func limit(end: String) async throws {
        let task = service.GET("/")
        var lines = task.lines(limit: 5).makeAsyncIterator()
        let exchange = await source.exchange
        exchange.head()
        exchange.send("12")
        exchange.send("345\(end)")
        if end.isEmpty { exchange.send("\n") }
        #expect(try await lines.next() == "12345")
        exchange.send("1234")
        exchange.send("567890")
        do {
            _ = try await lines.next()
            Issue.record("it doesn't throw")
        } catch {
            #expect(error.reason == .invalidResponse)
            #expect("\(error)".contains("5 bytes"))
        }
        #expect(try await lines.next() == nil)
        #expect(await task.result.error?.reason == .cancelled)
    }

    @Test("Any number is a valid limit", arguments: [Int.min, -1, 0, .max])
    func anyLimit(limit: Int) async throws {
        var lines = service.GET("/").lines(limit: limit).makeAsyncIterator()
        await source.exchange.answer("\n", "a", "b\n")
        #expect(try await lines.next() == "")
        if limit == .max {
            #expect(try await lines.next() == "ab")
        } else {
            await #expect(throws: ServiceError.self) { try await lines.next() }
        }
    }

    @Test("Each line is decoded with the service's JSON settings, and empty lines are skipped")
    func elements() async throws {
        struct Store: Decodable, Equatable { let storeName: String }
        var service = service
        service.configure { $0.jsonDecoding.keyDecodingStrategy = .convertFromSnakeCase }
        var stores = service.GET("/").elements(as: Store.self).makeAsyncIterator()
        let exchange = await source.exchange
        exchange.head()
        exchange.send(#"{"store_name":"a"}"# + "\n \r\n" + #"{"store_"#)
        #expect(try await stores.next() == Store(storeName: "a"))
        exchange.send(#"name":"b"}"#)
        exchange.end()
        #expect(try await stores.next() == Store(storeName: "b"))
        #expect(try await stores.next() == nil)
    }

    @Test(
        "A line that can't be decoded fails with an error that has its number",
        arguments: [("[", ServiceError.Reason.unparsable), ("[1]", .undecodable)])
    func faultyElement(_ sample: (line: String, reason: ServiceError.Reason)) async throws {
        var numbers = service.GET("/").elements(as: Int.self).makeAsyncIterator()
        await source.exchange.answer("1\n", sample.line)
        #expect(try await numbers.next() == 1)
        do {
            _ = try await numbers.next()
            Issue.record("it doesn't throw")
        } catch {
            #expect(error.reason == sample.reason)
            #expect("\(error)".contains("line 2"))
        }
        #expect(try await numbers.next() == nil)
    }

    @Test("Events arrive while the body is still being received")
    func events() async throws {
        var events = service.GET("/").events.makeAsyncIterator()
        let exchange = await source.exchange
        exchange.head()
        exchange.send("id: 1\ndata: a\n\nda")
        #expect(try await events.next() == ServerSentEvent(id: "1", data: "a"))
        exchange.send("ta: b\n\n")
        #expect(try await events.next() == ServerSentEvent(id: "1", data: "b"))
        exchange.end()
        #expect(try await events.next() == nil)
    }
}
