import Foundation
import Swallow
import SwallowTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The documented interface of SwallowTesting. This code must compile.
@Suite("The interface of SwallowTesting")
struct InterfaceTests {
    @Test("The documented functions and types exist")
    func design() async throws {
        let clock: any ServiceClock = ManualClock(now: Date(timeIntervalSince1970: 0))
        let manual = try #require(clock as? ManualClock)
        let advance: (Duration) -> Void = manual.advance(by:)
        let pending: Int = manual.pending
        advance(.seconds(1))

        let gate = Gate()
        let open: () -> Void = gate.open
        let openNext: (Int) -> Void = gate.open(next:)
        let arrivals: (Int) async throws -> Void = gate.arrivals(_:)
        let waiting: Int = gate.waiting
        try await arrivals(0)
        try await gate.arrivals(0)
        openNext(0)
        open()

        let stub = StubDataSource()
        let response: StubResponse = .json(["stores": []]).held(by: gate).delayed(.zero)
        stub.stub(
            .GET, "/stores", query: ["zip": "15217"], headers: ["Accept": "a/b"], body: { _ in true },
            response)
        let _: [URLRequest] = stub.requests
        let _: JSON = stub.request(0).json
        let unused: [String] = stub.unusedStubs
        #expect(throws: (any Error).self) { try stub.verify() }
        #expect(unused.count == 1 && pending == 0 && waiting == 0)

        let file: StaticString = #filePath
        let _: ReplayingDataSource = stub.replaying("nothing", in: nil, file: file)
        let _: any SessionDataTaskDataSource = stub.recording(to: URL(filePath: "/nowhere/a.har"))
        let _: any SessionDataTaskDataSource = stub.degraded(
            latency: .zero, loss: 0, bandwidth: 1_000_000, seed: 7)
    }
}
