import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

@Suite("A body as a sequence of body parts")
struct ResponseBodyTests {
    private let source = StreamingDataSource()
    private var service: WebService { .test(source) }

    @Test("A loop receives each body part when it arrives, and ends when the body is complete")
    func loop() async throws {
        let task = service.GET("/")
        let exchange = await source.exchange
        exchange.head()
        exchange.send("a")
        var iterator = task.body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("a".utf8))
        exchange.send("b")
        #expect(try await iterator.next() == Data("b".utf8))
        exchange.end(["Checksum": "1"])
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(task.state == .completed)
        #expect(task.trailers["Checksum"] == "1")
        #expect(exchange.calls.values.contains(.cancel) == false)
    }

    @Test("A data source that delivers only complete bodies delivers one body part")
    func stub() async throws {
        let stub = StubDataSource()
        stub.stub(.GET, "/", .json(["a": 1]))
        var parts: [String] = []
        for try await part in WebService.test(stub).GET("/").body {
            parts.append(String(decoding: part, as: UTF8.self))
        }
        #expect(parts == [#"{"a":1}"#])
    }

    @Test("Reading starts a task that was never started")
    func startsTask() async throws {
        var service = service
        service.startTasksImmediately = false
        let body = service.GET("/").body
        let reading = Task { try await String(decoding: body.joined(), as: UTF8.self) }
        await source.exchange.answer("a", "b")
        #expect(try await reading.value == "ab")
    }

    @Test("The transfer is paused after the head until the body is read")
    func headFirst() async throws {
        let body = service.GET("/").body
        let exchange = await source.exchange
        exchange.head(headers: ["X": "1"])
        #expect(try await body.head.value(forHTTPHeaderField: "X") == "1")
        #expect(await exchange.calls.first(2) == [.resume, .suspend])
        exchange.send("a")
        exchange.end()
        #expect(try await body.joined() == Data("a".utf8))
        #expect(exchange.calls.values == [.resume, .suspend, .resume])
    }

    @Test("task.head arrives before the body, which can be streamed after it", arguments: [true, false])
    func earlyHead(isStreamed: Bool) async throws {
        let task = service.GET("/")
        let exchange = await source.exchange
        async let head = task.head
        exchange.head()
        #expect(try await head.statusCode == 200)
        exchange.send("[1,")
        await exchange.delivered()
        exchange.send("2]")
        if isStreamed {
            let body = task.body
            async let joined = body.joined()
            exchange.end()
            #expect(try await joined == Data("[1,2]".utf8))
            #expect(try await task.data.isEmpty)
        } else {
            exchange.end()
            #expect(try await task.json == [1, 2])
        }
    }

    @Test("task.head throws if the status isn't acceptable, and the error has the body")
    func headOfFailure() async throws {
        let task = service.GET("/")
        async let head = task.head
        let exchange = await source.exchange
        exchange.head(404)
        exchange.send(#"{"message":"no"}"#)
        exchange.end()
        do {
            _ = try await head
            Issue.record("it doesn't throw")
        } catch {
            let error = try #require(error as? ServiceError)
            #expect(error.statusCode == 404)
            #expect(error.json["message"].string == "no")
        }
    }

    @Test("A slow reader pauses and resumes the data source")
    func backPressure() async throws {
        let body = service.GET("/").body
        var iterator = body.makeAsyncIterator()
        let exchange = await source.exchange
        exchange.head()
        exchange.send("first")
        #expect(try await iterator.next() == Data("first".utf8))
        let part = Data(repeating: 1, count: 100 * 1024)
        for _ in 0..<10 { exchange.send(part) }
        exchange.end()
        await exchange.delivered()
        // Three body parts filled the buffer, and one may have been on its way.
        #expect(exchange.calls.values.last == .suspend)
        #expect(exchange.waiting >= 6)
        var count = 0
        while let part = try await iterator.next() { count += part.count }
        #expect(count == 10 * part.count)
        #expect(exchange.calls.values.last == .resume)
    }

    @Test("Leaving a loop early cancels the task")
    func leaving() async throws {
        let task = service.GET("/")
        let body = task.body
        let reading = Task { for try await _ in body { break } }
        let exchange = await source.exchange
        exchange.head()
        exchange.send("a")
        try await reading.value
        #expect(task.state == .completed)
        #expect(exchange.calls.values.last == .cancel)
        await #expect(throws: ServiceError.self) { try await body.joined() }
    }

    @Test("Dropping the last copy of an unfinished body cancels the task", arguments: [true, false])
    func dropping(isStarted: Bool) async throws {
        var service = service
        service.startTasksImmediately = isStarted
        let task = service.GET("/")
        do {
            let body = task.body
            let copy = body
            #expect(task.state != .completed)
            withExtendedLifetime((body, copy)) {}
        }
        #expect(task.state == .completed)
        #expect(await task.result.error?.reason == .cancelled)
    }

    @Test("Dropping a complete body changes nothing")
    func droppingComplete() async throws {
        let handled = Recorder<String>()
        let task = service.GET("/")
        do {
            let body = task.body
            task.responseCompleted(.utility) { result in
                handled.append(result.error.map { "\($0.reason)" } ?? "success")
            }
            let reading = Task { try await body.joined() }
            await source.exchange.answer("a")
            #expect(try await reading.value == Data("a".utf8))
        }
        #expect(await handled.first(1) == ["success"])
    }

    @Test("A cancelled Swift task ends its loop and cancels the request")
    func cancelledReader() async throws {
        let task = service.GET("/")
        let body = task.body
        let reading = Task { () -> ServiceError.Reason? in
            do throws(ServiceError) {
                for try await _ in body {}
                return nil
            } catch { return error.reason }
        }
        let exchange = await source.exchange
        exchange.head()
        await exchange.delivered()
        reading.cancel()
        #expect(await reading.value == .cancelled)
        #expect(await task.result.error?.reason == .cancelled)
        #expect(exchange.calls.values.last == .cancel)
    }

    @Test("The body parts that arrived before the connection was lost are delivered before the error")
    func breaksOff() async throws {
        var iterator = service.GET("/").body.makeAsyncIterator()
        let exchange = await source.exchange
        exchange.head()
        exchange.send("a")
        exchange.end(error: URLError(.networkConnectionLost))
        #expect(try await iterator.next() == Data("a".utf8))
        do {
            _ = try await iterator.next()
            Issue.record("it doesn't throw")
        } catch {
            #expect(error.reason == .transport(URLError(.networkConnectionLost)))
            #expect(error.statusCode == 200)
        }
        #expect(try await iterator.next() == nil)
    }

    @Test("An error is delivered once, even to a reader that already waits for it")
    func errorOnce() async {
        for _ in 0..<100 {
            let sink = SequenceSink { _ in }
            let reading = Task { await sink.next() }
            // Usually, the reader is waiting by now.
            await Task.yield()
            sink.fail(with: ServiceError(.timedOut))
            guard case .failure(let error) = await reading.value else {
                Issue.record("the error isn't given")
                return
            }
            #expect(error.reason == .timedOut && sink.isComplete)
            guard case .success(nil) = await sink.next() else {
                Issue.record("the error is given twice")
                return
            }
        }
    }

    @Test("If the status isn't acceptable, the loop throws an error with the body")
    func unacceptable() async throws {
        let body = service.GET("/").body
        let exchange = await source.exchange
        exchange.head(500)
        exchange.send(#"{"message":"down"}"#)
        exchange.end()
        do {
            _ = try await body.joined()
            Issue.record("it doesn't throw")
        } catch let error as ServiceError {
            #expect(error.statusCode == 500)
            #expect(error.json["message"].string == "down")
        }
    }

    @Test("A second body and a second loop throw .invalidRequest")
    func second() async throws {
        let task = service.GET("/")
        let (first, second) = (task.body, task.body)
        let reading = Task { try await first.joined() }
        await source.exchange.answer("a")
        #expect(try await reading.value == Data("a".utf8))
        for body in [first, second] {
            do {
                _ = try await body.joined()
                Issue.record("it doesn't throw")
            } catch let error as ServiceError { #expect(error.reason == .invalidRequest) }
        }
        await #expect(throws: ServiceError.self) { try await second.head }
    }

    @Test("The timeout of a streamed body limits the time until the head, then the time without a byte")
    func timeout() async throws {
        let clock = ManualClock()
        var service = service
        service.clock = clock
        let task = service.GET("/", options: [.timeout(.seconds(10))])
        var iterator = task.body.makeAsyncIterator()
        let exchange = await source.exchange
        clock.advance(by: .seconds(9))
        exchange.head()
        for _ in 0..<3 {
            exchange.send("a")
            #expect(try await iterator.next() == Data("a".utf8))
            clock.advance(by: .seconds(9))
        }
        // A suspended task doesn't time out, because its data source may not send anything.
        task.suspend()
        clock.advance(by: .seconds(100))
        task.resume()
        clock.advance(by: .seconds(9))
        #expect(task.state == .running)
        clock.advance(by: .seconds(2))
        #expect(await task.result.error?.reason == .timedOut)
        do {
            _ = try await iterator.next()
            Issue.record("it doesn't throw")
        } catch { #expect(error.reason == .timedOut) }
        #expect(exchange.calls.values.last == .cancel)
    }

    @Test("A streamed body whose head doesn't arrive times out")
    func headTimeout() async throws {
        let clock = ManualClock()
        var service = service
        service.clock = clock
        let body = service.GET("/", options: [.timeout(.seconds(10))]).body
        _ = await source.exchange
        clock.advance(by: .seconds(10))
        await #expect { try await body.head } throws: { ($0 as? ServiceError)?.reason == .timedOut }
    }
}

extension ResponseBody {
    func joined() async throws -> Data {
        var data = Data()
        for try await part in self { data += part }
        return data
    }
}
