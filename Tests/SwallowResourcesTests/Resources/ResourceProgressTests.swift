import Foundation
import SwallowResources
import TestSupport
import Testing

import Swallow

@Suite("A resource's progress")
@MainActor
struct ResourceProgressTests {
    private let source = StreamingDataSource()

    private func numbers() -> Resource<[Int]> {
        Resource(WebService.test(source).future(as: [Int].self) { $0.GET("/") })
    }

    @Test("It comes from the request's counters while a load is under way, and is 1 after it")
    func counters() async throws {
        let numbers = numbers()
        #expect(numbers.progress == 0)
        let load = numbers.load()
        #expect(numbers.progress == 0)
        let exchange = await source.exchange
        exchange.report(TransferProgress(received: 1, expectedToReceive: 4))
        #expect(numbers.progress == 0.25)
        exchange.report(TransferProgress(received: 9, expectedToReceive: 4))
        #expect(numbers.progress == 1)
        exchange.report(TransferProgress(received: 3, expectedToReceive: 4))
        #expect(numbers.progress == 0.75)
        exchange.answer("[41]")
        #expect(try await load.value == [41])
        #expect(numbers.progress == 1)
        numbers.load()
        #expect(numbers.progress == 0)
    }

    @Test("It is 1 after a load that was cancelled, as after any other, and 0 after a wipe")
    func cancelled() async throws {
        let numbers = numbers()
        let load = numbers.load()
        let exchange = await source.exchange
        exchange.report(TransferProgress(received: 1, expectedToReceive: 4))
        load.cancel()
        #expect(numbers.progress == 1)
        numbers.wipe()
        #expect(numbers.progress == 0)
    }
}
