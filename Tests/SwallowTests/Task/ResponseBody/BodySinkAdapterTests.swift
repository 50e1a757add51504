import Foundation
import LoopbackServer
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

import Swallow

@Suite("Bodies with a sink, adapters and futures")
struct BodySinkAdapterTests {
    private let source = StreamingDataSource()
    /// A service whose tasks don't start immediately, so that each body has a sink before the request is sent.
    private var service: WebService {
        var service = WebService.test(source)
        service.startTasksImmediately = false
        return service
    }

    @Test("A task whose body has a sink leaves a shared exchange, and the other tasks complete")
    func coalescing() async throws {
        let service = WebService.test(source.coalescing())
        let (shared, streaming) = (service.GET("/"), service.GET("/"))
        let first = await source.exchange
        let body = streaming.body
        let second = await source.exchange(1)
        second.answer("a", "b")
        #expect(try await body.joined() == Data("ab".utf8))
        #expect(!first.isStreamed)
        first.answer("whole")
        #expect(try await shared.text == "whole")
        #expect(source.exchanges.values.count == 2)
    }

    @Test("Two downloads of the same URL are two exchanges")
    func coalescedDownloads() async throws {
        let service = WebService.test(source.coalescing())
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let tasks = ["a", "b"].map { service.GET("/", options: [.download(to: folder.file($0))]) }
        for index in 0..<2 { await source.exchange(index).answer("all") }
        for task in tasks {
            let file = try await task.content(as: URL.self)
            #expect(try Data(contentsOf: file) == Data("all".utf8))
        }
    }

    @Test("Each start of a future streams its own body")
    func futures() async throws {
        let received = Recorder<String>()
        let future = service.future(as: Data.self) {
            $0.GET("/").responseStream(.utility) { received.append(String(decoding: $0, as: UTF8.self)) }
        }
        #expect(source.exchanges.values.isEmpty)
        for index in 0..<2 {
            async let value = future.value
            await source.exchange(index).answer("a\(index)", "b\(index)")
            #expect(try await value.isEmpty)
        }
        #expect(received.values == ["a0", "b0", "a1", "b1"])
    }

    @Test(
        "If a future's stream handler throws, the future fails with that error and the transfer is cancelled"
    )
    func failingFuture() async throws {
        let future = service.future(as: Data.self) {
            $0.GET("/").responseStream(.utility) { _ in throw AppError(code: 6) }
        }
        async let result = future.result
        let exchange = await source.exchange
        exchange.head()
        exchange.send("a")
        guard case .failure(let error) = await result else {
            Issue.record("the future succeeded")
            return
        }
        #expect(error.underlying as? AppError == AppError(code: 6))
        #expect(await exchange.calls.first(2) == [.resume, .cancel])
    }
}
