import Foundation
import SwallowTesting
import TestSupport
import Testing

import Swallow

@Suite("The progress of resumed downloads")
struct DownloadProgressTests: Downloading {
    let place: DownloadPlace
    private let source = StreamingDataSource()

    init() throws {
        place = try DownloadPlace()
    }

    private var options: [Request.Option] { [.download(to: target, resumes: true)] }

    /// Downloads ten of twenty bytes, then cancels.
    private func leaveTen(_ service: WebService) async throws {
        let task = service.GET("/file", options: options)
        let exchange = await source.exchange
        exchange.head(headers: ["ETag": "\"v1\"", "Content-Length": "20"])
        exchange.send("0123456789")
        await exchange.delivered()
        task.cancel()
        _ = await task.result
        #expect(folder.names == remainder)
    }

    @Test("The progress counts the bytes on disk as received, and reports the offset")
    func counts() async throws {
        let clock = ManualClock()
        var service = WebService.test(source)
        service.clock = clock
        try await leaveTen(service)
        let calls = Recorder<TransferProgress>()
        let task = service.GET("/file", options: options).downloadProgress(.utility) { calls.append($0) }
        let exchange = await source.exchange(1)
        let first = TransferProgress(received: 10, expectedToReceive: 20, offset: 9)
        #expect(task.progress == first)
        #expect(task.progress.fraction == 0.5)
        exchange.head(206, headers: ["ETag": "\"v1\"", "Content-Range": "bytes 9-19/20"])
        await exchange.delivered()
        clock.advance(by: .seconds(1))
        #expect(task.progress.counts == first)
        exchange.report(TransferProgress(received: 6, expectedToReceive: 11))
        clock.advance(by: .seconds(1))
        #expect(
            task.progress.counts == TransferProgress(received: 15, expectedToReceive: 20, offset: 9))
        // Only the bytes of this transfer count for the speed.
        #expect((task.progress.bytesPerSecond ?? 100) <= 3)
        exchange.report(TransferProgress(received: 11, expectedToReceive: 11))
        exchange.answer("9abcdefghij")
        _ = try await task.content(as: URL.self)
        let last = TransferProgress(received: 20, expectedToReceive: 20, offset: 9)
        #expect(calls.values.last == last)
        #expect(task.progress.counts == last)
        #expect(written == Data("0123456789abcdefghij".utf8))
    }

    @Test("If the server sends the complete body instead of the rest, the progress counts from zero")
    func whole() async throws {
        let service = WebService.test(source)
        try await leaveTen(service)
        let task = service.GET("/file", options: options)
        let exchange = await source.exchange(1)
        exchange.head(headers: ["ETag": "\"v2\"", "Content-Length": "4"])
        exchange.report(TransferProgress(received: 1, expectedToReceive: 4))
        await exchange.delivered()
        #expect(task.progress.counts == TransferProgress(received: 1, expectedToReceive: 4))
        exchange.report(TransferProgress(received: 4, expectedToReceive: 4))
        exchange.answer("abcd")
        _ = try await task.content(as: URL.self)
        #expect(task.progress.counts == TransferProgress(received: 4, expectedToReceive: 4))
    }

    @Test("If the data source reports no progress, the final progress has the counts of the complete file")
    func unknowing() async throws {
        let server = server(cutting: [100_000])
        _ = await download(server)
        let calls = Recorder<TransferProgress>()
        let task = service(server).GET("/file", options: options)
            .downloadProgress(.utility) { calls.append($0) }
        _ = try await task.content(as: URL.self)
        let last = TransferProgress(received: 300_000, expectedToReceive: 300_000, offset: 99_999)
        #expect(calls.values.last == last)
        #expect(task.progress.counts == last)
        #expect(task.progress.fraction == 1)
    }
}
