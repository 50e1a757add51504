import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Stubbed sequences")
struct StubSequenceTests {
    private let stub = StubDataSource()

    private func statuses(_ count: Int, _ path: Request.Path = "/stores") throws -> [Int?] {
        try (0..<count).map { _ in
            let exchange = Call(try .test(.GET, path), stub)
            exchange.task.resume()
            return exchange.outcomes.first?.status
        }
    }

    @Test("A sequence's responses are used one after another, and the last one is repeated")
    func order() throws {
        stub.stub(.GET, "/stores", .sequence([.status(503), .failure(AppError()), .status(200)]))
        #expect(try statuses(5) == [503, nil, 200, 200, 200])
    }

    @Test("Each stub has its own position in a sequence")
    func perStub() throws {
        let sequence = StubResponse.sequence([.status(201), .status(202)])
        stub.stub(.GET, "/a", sequence).stub(.GET, "/b", sequence)
        #expect(try statuses(1, "/a") == [201])
        #expect(try statuses(2, "/b") == [201, 202])
        #expect(try statuses(2, "/a") == [202, 202])
    }

    @Test("A sequence within a sequence is replaced by its elements")
    func nested() throws {
        stub.stub(
            .GET, "/stores",
            .sequence([.sequence([.status(201), .status(202)]), .sequence([]), .status(203)]))
        #expect(try statuses(4) == [201, 202, 203, 203])
    }

    @Test("A sequence can contain closures, and a closure can return a sequence")
    func closures() throws {
        stub.stub(.GET, "/a", .sequence([.dynamic { _ in .status(201) }, .status(202)]))
        stub.stub(.GET, "/b", .dynamic { _ in .sequence([.status(201), .status(202)]) })
        #expect(try statuses(2, "/a") == [201, 202])
        #expect(try statuses(2, "/b") == [201, 201])
    }

    @Test("An empty sequence fails with a clear error")
    func empty() throws {
        stub.stub(.GET, "/stores", .sequence([]))
        let exchange = Call(try .test(), stub)
        exchange.task.resume()
        let error = try #require(exchange.outcomes.first?.error as? ServiceError)
        #expect(error.reason == .invalidResponse)
        #expect("\(error)".contains("sequence is empty"))
    }

    @Test("A delay of a sequence is added to the delays of its elements")
    func delays() throws {
        stub.stub(
            .GET, "/stores",
            .sequence([
                .status(201).delayed(.milliseconds(10)), .sequence([.status(202)]).delayed(.seconds(0)),
            ])
            .delayed(.milliseconds(10)))
        let clock = ManualClock()
        let exchanges = [Call(try .test(), stub), Call(try .test(), stub)]
        TransferContext.with(clock: clock) { for exchange in exchanges { exchange.task.resume() } }
        clock.advance(by: .milliseconds(19))
        #expect(exchanges.map { $0.outcomes.first?.status } == [nil, 202])
        clock.advance(by: .milliseconds(1))
        #expect(exchanges.map { $0.outcomes.first?.status } == [201, 202])
    }

    @Test("Concurrent requests receive different elements")
    func concurrency() async {
        stub.stub(.GET, "/stores", .sequence((0..<100).map { .text("\($0)") }))
        let service = WebService.test(stub)
        let texts = await withTaskGroup { group in
            for _ in 0..<150 {
                group.addTask { try? await service.GET("/stores").text }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let counts = Dictionary(texts.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(counts.count == 100)
        #expect(counts["99"] == 51)
        #expect(counts.values.filter { $0 == 1 }.count == 99)
        #expect(stub.requests.count == 150)
    }
}
