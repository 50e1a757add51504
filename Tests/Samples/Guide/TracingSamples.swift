import Foundation
import Swallow
import SwallowTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Span: Sendable {
    @TaskLocal static var current: Span?

    let trace: String
    let id = String(Span.digits.prefix(16))

    init(within parent: Span? = .current) { trace = parent?.trace ?? Span.digits }

    var traceparent: String { "00-\(trace)-\(id)-01" }

    private static var digits: String { UUID().uuidString.replacing("-", with: "").lowercased() }
}

/// Stands in for the exporter of an app.
private struct Exporter: Sendable {
    let spans = Recorder<(parent: String?, span: Span, status: Int)>()

    func export(_ span: Span, within parent: Span?, took duration: Duration, status: Int) {
        spans.append((parent?.id, span, status))
    }
}

/// Stands in for a meter of swift-metrics.
private struct Meter: Sendable {
    let lines = Recorder<String>()

    func count(_ name: String, _ labels: String...) { lines.append(([name] + labels).joined(separator: " ")) }
    func record(_ name: String, _ duration: Duration) { lines.append(name) }
}

actor Pace {
    private let interval: Duration
    private var next = ContinuousClock.now

    init(perSecond rate: Double) {
        interval = .seconds(1 / rate)
    }

    func turn() async throws {
        let turn = max(next, .now)
        next = turn + interval
        try await Task.sleep(until: turn, clock: .continuous)
    }
}

@Suite("The guide's recipes for servers")
struct TracingSamples {
    private let stub = StubDataSource()

    @Test("give each attempt a span")
    func tracing() async throws {
        stub.stub(.GET, "/stores", .sequence([.status(503), .json([])]))
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        let exporter = Exporter()
        let traced = service.dataSource.intercepting { request, next in
            let span = Span()
            var request = request
            request.setValue(span.traceparent, forHTTPHeaderField: "traceparent")
            let start = ContinuousClock.now
            var status = 0
            defer { exporter.export(span, within: .current, took: .now - start, status: status) }
            let response = try await next(request)
            status = response.head.statusCode
            return response
        }
        service.dataSource = traced
        let clock = ManualClock()
        service.clock = clock
        service.configure { $0.retry = .standard }
        let search = Span()
        let task = Span.$current.withValue(search) { service.GET("/stores") }
        while await !clock.run(until: task) {}
        let stores = try await task.json
        #expect(stores == [])
        let spans = exporter.spans.values
        #expect(spans.map(\.status) == [503, 200])
        #expect(spans.allSatisfy { $0.parent == search.id && $0.span.trace == search.trace })
        #expect(
            stub.requests.map { $0.value(forHTTPHeaderField: "traceparent") } == spans.map(\.span.traceparent)
        )
        #expect(search.traceparent.wholeMatch(of: /00-[0-9a-f]{32}-[0-9a-f]{16}-01/) != nil)
        #expect(Set(spans.map(\.span.id)).count == 2)
    }

    @Test("hand a span to all that is awaited within")
    func spans() async throws {
        stub.stub(.GET, "/stores/41", .json(["id": 41, "name": "Squirrel Hill"]))
        let service = WebService(
            baseURLString: "https://api.example.com",
            dataSource: stub.intercepting { request, next in
                #expect(Span.current != nil)
                return try await next(request)
            })
        let store = try await Span.$current.withValue(Span()) {
            try await service.GET("/stores/41").decoded(as: Store.self)
        }
        #expect(store.id == 41)
    }

    @Test("count what happens")
    func metrics() async throws {
        stub.stub(.GET, "/stores", .sequence([.json([]), .status(500)]))
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        let meter = Meter()
        service.log = { event in
            switch event {
            case .responseReceived(let request, let response):
                meter.count("http.client.responses", request.method, "\(response.statusCode)")
                meter.record("http.client.duration", response.duration)
            case .retry: meter.count("http.client.retries")
            case .failed: meter.count("http.client.failures")
            default: break
            }
        }
        _ = try await service.GET("/stores").data
        _ = await service.GET("/stores").result
        #expect(
            await meter.lines.first(5) == [
                "http.client.responses GET 200", "http.client.duration", "http.client.responses GET 500",
                "http.client.duration", "http.client.failures",
            ])
    }

    @Test("keep to a rate")
    func rates() async throws {
        stub.stub(.GET, "/stores", .json([]))
        var service = WebService(baseURLString: "https://api.example.com", dataSource: stub)
        let pace = Pace(perSecond: 1000)
        let paced = service.dataSource.intercepting { request, next in
            try await pace.turn()
            return try await next(request)
        }
        service.dataSource = paced
        for _ in 0..<3 { #expect(try await service.GET("/stores").json == []) }
    }
}
