import Foundation
import SwallowTesting
import TestSupport
import Testing

import Swallow

@Suite("Progress")
struct ProgressTests {
    private let source = StreamingDataSource()
    private let clock = ManualClock()
    private var service: WebService {
        var service = WebService.test(source)
        service.clock = clock
        return service
    }

    private func received(_ count: Int64, of total: Int64? = nil) -> TransferProgress {
        TransferProgress(received: count, expectedToReceive: total)
    }

    @Test(
        "A handler is called at most every 100 ms, and with the final counts before the handlers after it")
    func calls() async throws {
        let queue = DispatchQueue(label: "progress")
        let log = Recorder<String>()
        service.GET("/")
            .downloadProgress(queue) { log.append("\($0.received) of \($0.expectedToReceive ?? 0)") }
            .response(.utility) { _, _ in log.append("response") }
        let exchange = await source.exchange
        exchange.report(received(1, of: 9))
        clock.advance(by: .milliseconds(99))
        #expect(log.values.isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(await log.first(1) == ["1 of 9"])
        clock.advance(by: .milliseconds(500))
        exchange.report(received(5, of: 9))
        clock.advance(by: .milliseconds(100))
        #expect(await log.first(2) == ["1 of 9", "5 of 9"])
        exchange.report(received(9, of: 9))
        exchange.answer("123456789")
        #expect(await log.first(4) == ["1 of 9", "5 of 9", "9 of 9", "response"])
        #expect(clock.pending == 0)
    }

    @Test("Upload handlers are called for uploads, and download handlers for downloads")
    func directions() async throws {
        let queue = DispatchQueue(label: "progress")
        let (up, down) = (Recorder<Int64>(), Recorder<Int64>())
        let task = service.GET("/")
            .uploadProgress(queue) { up.append($0.sent) }
            .downloadProgress(queue) { down.append($0.received) }
        let exchange = await source.exchange
        exchange.report(TransferProgress(sent: 4))
        clock.advance(by: .milliseconds(100))
        #expect(await up.first(1) == [4])
        exchange.report(TransferProgress(sent: 4, received: 6))
        clock.advance(by: .milliseconds(100))
        #expect(await down.first(1) == [6])
        exchange.answer("123456")
        _ = await task.result
        #expect(up.values == [4, 4])
        #expect(down.values == [6, 6])
    }

    @Test("A stub that reports no progress causes one call, with the final counts")
    @MainActor func stub() async throws {
        let stub = StubDataSource()
        stub.stub(.POST, "/", .json([1, 2]))
        var (up, down): ([TransferProgress], [TransferProgress]) = ([], [])
        let task = WebService.test(stub).POST("/", options: [.body(Data(count: 7), contentType: "a/b")])
            .uploadProgress { up.append($0) }
            .downloadProgress { down.append($0) }
        _ = await task.result
        let expected = TransferProgress(sent: 7, received: 5, expectedToSend: 7, expectedToReceive: 5)
        #expect(up == [expected])
        #expect(down == [expected])
    }

    @Test("The final count of an upload from a file to a stub is the file's length")
    func stubbedUpload() async throws {
        let file = try TemporaryFile(Data(count: 1000))
        let stub = StubDataSource().stub(.PUT, "/", .status(201))
        let counts = Recorder<[Int64?]>()
        WebService.test(stub).PUT("/", options: [.body(file: file.url)])
            .uploadProgress(.utility) { counts.append([$0.sent, $0.expectedToSend]) }
        #expect(await counts.first(1) == [[1000, 1000]])
    }

    @Test("A failed transfer causes no final call")
    func failure() async throws {
        let calls = Recorder<Int64>()
        let task = service.GET("/").downloadProgress(.utility) { calls.append($0.received) }
        await source.exchange.end(error: URLError(.networkConnectionLost))
        _ = await task.result
        #expect(calls.values.isEmpty)
        #expect(clock.pending == 0)
    }

    @Test("Without a progress handler, no timer is scheduled")
    func noHandler() async throws {
        let task = service.GET("/")
        _ = await source.exchange
        #expect(clock.pending == 0)
        task.cancel()
    }

    @Test("A streamed body reports its progress")
    func streamed() async throws {
        let calls = Recorder<Int64>()
        let task = service.GET("/").downloadProgress(.utility) { calls.append($0.received) }
        let reading = Task { [body = task.body] in try await body.joined() }
        await source.exchange.answer("abc", "de")
        #expect(try await reading.value.count == 5)
        #expect(await calls.first(1) == [5])
    }

    @Test("The snapshot has the fraction, the speed and the remaining time")
    func snapshot() async throws {
        let task = service.GET("/")
        let exchange = await source.exchange
        exchange.report(received(0, of: 1000))
        #expect(task.progress == received(0, of: 1000))
        clock.advance(by: .seconds(1))
        exchange.report(received(100, of: 1000))
        let progress = task.progress
        #expect(progress.fraction == 0.1)
        #expect(progress.bytesPerSecond == 100)
        #expect(progress.timeLeft == .seconds(9))
        // Only the last seconds count for the speed.
        clock.advance(by: .seconds(60))
        exchange.report(received(200, of: 1000))
        _ = task.progress
        clock.advance(by: .seconds(4))
        exchange.report(received(1000, of: 1000))
        #expect(task.progress.bytesPerSecond == 200)
        #expect(task.progress.timeLeft == .zero)
        exchange.answer("a")
        _ = await task.result
        #expect(task.progress.counts == received(1000, of: 1000))
    }

    @Test(
        "The fraction covers both directions, and is nil if it is unknown",
        arguments: [
            (TransferProgress(), nil), (TransferProgress(received: 5), nil),
            (TransferProgress(sent: 5, expectedToSend: 10), 0.5),
            (TransferProgress(sent: 10, received: 5, expectedToSend: 10), nil),
            (TransferProgress(sent: 10, received: 5, expectedToSend: 10, expectedToReceive: 10), 0.75),
            (TransferProgress(received: 20, expectedToReceive: 10), 1),
            (TransferProgress(received: 0, expectedToReceive: 0), nil),
        ] as [(TransferProgress, Double?)])
    func fraction(_ sample: (progress: TransferProgress, fraction: Double?)) {
        #expect(sample.progress.fraction == sample.fraction)
    }
}
