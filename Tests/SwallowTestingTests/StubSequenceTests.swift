import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A stubbed sequence")
struct StubSequenceTests {
    private let stub = StubDataSource()

    private func statuses(_ count: Int, _ path: Request.Path = "/stores") throws -> [Int?] {
        try (0..<count).map { _ in
            let exchange = Call(try .test(.GET, path), stub)
            exchange.task.resume()
            return exchange.outcomes.first?.status
        }
    }

    @Test("answers one after another, and goes on with the last one")
    func order() throws {
        stub.stub(.GET, "/stores", .sequence([.status(503), .failure(AppError()), .status(200)]))
        #expect(try statuses(5) == [503, nil, 200, 200, 200])
    }

    @Test("counts for each stub by itself")
    func perStub() throws {
        let sequence = StubResponse.sequence([.status(201), .status(202)])
        stub.stub(.GET, "/a", sequence).stub(.GET, "/b", sequence)
        #expect(try statuses(1, "/a") == [201])
        #expect(try statuses(2, "/b") == [201, 202])
        #expect(try statuses(2, "/a") == [202, 202])
    }

    @Test("within a sequence stands for its elements")
    func nested() throws {
        stub.stub(
            .GET, "/stores",
            .sequence([.sequence([.status(201), .status(202)]), .sequence([]), .status(203)]))
        #expect(try statuses(4) == [201, 202, 203, 203])
    }

    @Test("holds closures, and is what a closure returns")
    func closures() throws {
        stub.stub(.GET, "/a", .sequence([.dynamic { _ in .status(201) }, .status(202)]))
        stub.stub(.GET, "/b", .dynamic { _ in .sequence([.status(201), .status(202)]) })
        #expect(try statuses(2, "/a") == [201, 202])
        #expect(try statuses(2, "/b") == [201, 201])
    }

    @Test("without elements fails clearly")
    func empty() throws {
        stub.stub(.GET, "/stores", .sequence([]))
        let exchange = Call(try .test(), stub)
        exchange.task.resume()
        let error = try #require(exchange.outcomes.first?.error as? ServiceError)
        #expect(error.reason == .invalidResponse)
        #expect("\(error)".contains("sequence is empty"))
    }

    @Test("is delayed as a whole and in its elements")
    func delays() throws {
        stub.stub(
            .GET, "/stores",
            .sequence([
                .status(201).delayed(.milliseconds(10)), .sequence([.status(202)]).delayed(.seconds(0)),
            ])
            .delayed(.milliseconds(10)))
        let clock = ManualClock()
        let exchanges = [Call(try .test(), stub), Call(try .test(), stub)]
        SenderTerms.with(clock: clock) { for exchange in exchanges { exchange.task.resume() } }
        clock.advance(by: .milliseconds(19))
        #expect(exchanges.map { $0.outcomes.first?.status } == [nil, 202])
        clock.advance(by: .milliseconds(1))
        #expect(exchanges.map { $0.outcomes.first?.status } == [201, 202])
    }

    @Test("gives each of many requests at once another element")
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
