import Foundation
import Swallow
import SwallowTesting
import Testing

@Suite("The reference's tests")
struct TestingReference {
    private let stub = StubDataSource()
    private func makeService() -> WebService {
        WebService(baseURLString: "https://api.example.com/v1", dataSource: stub)
    }

    @Test("have gates, answers and clocks")
    func answers() async throws {
        var service = makeService()
        let gate = Gate()
        stub.stub(.GET, "/stores", .json([]).held(by: gate))
        let task = service.GET("/stores")
        try await gate.arrivals()
        #expect(task.state == .running)
        gate.open()
        #expect(try await task.json == [])
        stub.stub(.GET, "/stores", .json(["stores": []]))
        stub.stub(.POST, "/stores", .status(201, headers: ["Location": "/stores/41"]))
        stub.stub(.GET, "/slow", .text("at last").delayed(.seconds(1)))
        stub.stub(
            .GET, "/flaky", .sequence([.failure(URLError(.networkConnectionLost)), .status(503), .json([])]))
        stub.stub(.PUT, "/echo", .dynamic { request in .data(request.httpBody ?? Data()) })
        #expect(try await service.GET("/stores").json["stores"].count == 0)
        service.dataSource = service.dataSource.recording(to: URL(filePath: "/tmp/session.har"))
        service.dataSource = stub
        try await timeout(service)
    }

    private func timeout(_ unclocked: WebService) async throws {
        var service = unclocked
        let clock = ManualClock()
        service.clock = clock
        let task = service.GET("/slow", options: [.timeout(.milliseconds(30))])
        #expect(task.request.timeout != nil)
        try await timeout(of: service, clock)
    }

    private func timeout(of unclocked: WebService, _ other: ManualClock) async throws {
        stub.stub(.GET, "/slow", .text("at last").delayed(.seconds(60)))
        var service = unclocked
        let clock = ManualClock()
        service.clock = clock
        let task = service.GET("/slow", options: [.timeout(.seconds(30))])
        clock.advance(by: .seconds(30))
        await #expect(throws: ServiceError.self) { try await task.data }
        other.advance(by: .seconds(60))
        try await wait(service, clock)
    }

    private func wait(_ service: WebService, _ clock: ManualClock) async throws {
        let task = service.GET("/slow")
        try await clock.pending(atLeast: 1)
        #expect(task.state == .running)
        clock.advance(by: .seconds(60))
        stub.stub(.GET, "/report", .sequence([.status(503), .text("done")]))
        let report = service.GET("/report", options: [.retry(.standard), .timeout(.seconds(30))])
        await clock.run(until: report)
        #expect(try await report.text == "done")
    }

    @Test("replay")
    func replay() async throws {
        var service = makeService()
        service.dataSource = .replaying(
            "fetchUser", matching: [.method, .path, .headers("Accept-Language"), .body])
        #expect(await !service.GET("/other").result.isSuccess)
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Replays/fetchUser.har")
        let har = try HAR(contentsOf: url)
        for entry in har.entries {
            print(entry.request.method, entry.request.url, entry.response.status)
        }
        #expect(!redacted(har).isEmpty)
    }

    private func redacted(_ har: HAR) -> [HAR] {
        let redaction = HAR.Redaction(.standard.adding(["X-Device"]), bodies: ["$.user.email"])
        return [redaction.redacted(har), otherwiseRedacted(har)]
    }

    private func otherwiseRedacted(_ har: HAR) -> HAR {
        let redaction = HAR.Redaction(bodies: ["$.user.email", "$..phone"])
        return redaction.redacted(har)
    }
}

extension Result {
    fileprivate var isSuccess: Bool { (try? get()) != nil }
}
