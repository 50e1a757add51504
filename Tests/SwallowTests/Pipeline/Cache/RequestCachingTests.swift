import Foundation
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("What caches have to do with a request: the decisions")
struct RequestCachingTests {
    private let plan: PipelinePlan = {
        var pipeline = Pipeline()
        pipeline[.rawData].cacheUsing(MemoryCache())
        pipeline[.model].cacheUsing(MemoryCache())
        return PipelinePlan(pipeline)
    }()
    private let offline = ServiceError(.transport(URLError(.notConnectedToInternet)))

    private func caching(
        _ caching: EntityCaching, _ method: String = "GET", _ headers: [String: String] = [:]
    ) throws -> RequestCaching? {
        var request = try sampleRequest("http://service.test/a", headers)
        request.httpMethod = method
        return RequestCaching(request, caching, plan) { (200..<300).contains($0) }
    }

    private func response(_ status: Int = 200, _ headers: [String: String] = [:]) throws -> ReceivedResponse {
        let url = try #require(URL(string: "http://service.test/a"))
        let head = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers))
        return ReceivedResponse(head: ResponseHead(head), data: Data("1".utf8), timestamp: Date())
    }

    private func hit(
        stage: Int = 1, status: Int = 200, age: TimeInterval = 0, _ headers: [String: String] = ["ETag": "v"]
    ) throws -> CachedHit {
        let cached = CachedResponse(
            response: try response(status, headers).head, data: Data(),
            timestamp: Date(timeIntervalSinceNow: -age), for: try sampleRequest("http://service.test/a", [:]))
        return CachedHit(stage: stage, cached: cached)
    }

    @Test(
        "They take no part in OPTIONS, in reads of a range, and where they are ignored",
        arguments: [
            ("GET", EntityCaching.ignore, [:]), ("GET", .fallback, ["Range": "bytes=0-1"]),
            ("HEAD", .ignore, [:]), ("OPTIONS", .fallback, [:]),
        ])
    func noPart(_ method: String, _ caching: EntityCaching, _ headers: [String: String]) throws {
        #expect(try self.caching(caching, method, headers) == nil)
    }

    @Test("A pipeline without a cache has none")
    func noCache() throws {
        let request = try sampleRequest("http://service.test/a", [:])
        #expect(RequestCaching(request, .fallback, PipelinePlan(Pipeline())) { _ in true } == nil)
    }

    @Test(
        "Fallback sends first, reads after the transport's failure, and ends with that where there is nothing"
    )
    func fallback() throws {
        var caching = try #require(try caching(.fallback))
        #expect(caching.start().name == "send")
        #expect(caching.failed(offline).name == "readInstead")
        #expect(caching.failed(offline).name == "take")
        #expect(caching.found(nil).name == "none")
    }

    @Test("What a cache has takes the place of a response that doesn't come, however old it is")
    func fallbackHit() throws {
        var caching = try #require(try caching(.fallback))
        _ = caching.start()
        _ = caching.failed(offline)
        #expect(caching.found(try hit(age: 1_000_000)).name == "use")
    }

    @Test("A failure that isn't the transport's is the task's")
    func otherFailure() throws {
        var caching = try #require(try caching(.fallback))
        _ = caching.start()
        #expect(caching.failed(ServiceError(.invalidResponse)).name == "take")
    }

    @Test(
        "What is fresh enough is used unsent, anything else is asked for",
        arguments: [(0, "use"), (61, "send"), (-9, "send")])
    func prefer(age: Int, step: String) throws {
        var caching = try #require(try caching(.prefer(maxAge: .seconds(60))))
        #expect(caching.start().name == "read")
        #expect(caching.found(try hit(age: TimeInterval(age))).name == step)
    }

    @Test("What a cache has is used alone, however old it is; nothing is sent, whatever is missing")
    func only() throws {
        var caching = try #require(try self.caching(.only))
        #expect(caching.start().name == "read")
        #expect(caching.found(try hit(age: 1_000_000)).name == "use")
        #expect(caching.refused(try hit(), ServiceError(.noOutput)).name == "read")
        #expect(caching.found(nil).name == "miss")
        #expect(caching.failed(offline).name == "none")
    }

    @Test("A caller's validators are sent where no cache has its own")
    func conditions() throws {
        let request = try sampleRequest("http://service.test/a", [:])
        let mine = Validators(entityTag: "mine", lastModified: nil, url: request.url)
        var caching = try #require(RequestCaching(request, .revalidate, plan, validators: mine) { $0 == 200 })
        _ = caching.start()
        guard case .send(let sent, _) = caching.found(nil) else {
            Issue.record("nothing is sent")
            return
        }
        #expect(sent.value(forHTTPHeaderField: "If-None-Match") == "mine")
        caching = try #require(RequestCaching(request, .revalidate, plan, validators: mine) { $0 == 200 })
        _ = caching.start()
        guard case .send(let confirming, _) = caching.found(try hit()) else {
            Issue.record("nothing is sent")
            return
        }
        #expect(confirming.value(forHTTPHeaderField: "If-None-Match") == "v")
    }

    @Test(
        "What a write has changed is forgotten once by its head, and by its end; and so after another try")
    func forgottenOnce() throws {
        var caching = try #require(try caching(.fallback, "PUT"))
        _ = caching.start()
        let head = try response().head
        var counts: [Int] = []
        for _ in 0..<2 {
            caching.sent = Date()
            counts.append(caching.takeRequestsToForget(after: head).count)
            counts.append(caching.takeRequestsToForget(after: head).count)
        }
        #expect(counts == [1, 0, 1, 0])
        #expect(caching.received(try response(), nil).name == "forget")
    }

    @Test("Who wants the server's word alone gets the transport's failure")
    func noFallback() throws {
        let request = try sampleRequest("http://service.test/a", [:])
        var caching = try #require(RequestCaching(request, .revalidate, plan, fallsBack: false) { $0 == 200 })
        _ = caching.start()
        _ = caching.found(nil)
        #expect(caching.failed(offline).name == "take")
    }

    @Test("What the stages refuse is looked for in the caches before, then asked for")
    func refused() throws {
        var caching = try #require(try caching(.prefer(maxAge: .seconds(60))))
        _ = caching.start()
        let late = try hit(stage: 1)
        _ = caching.found(late)
        guard case .read(let end) = caching.refused(late, ServiceError(.noOutput)) else {
            Issue.record("the caches before aren't read")
            return
        }
        #expect(end == 1)
        #expect(caching.found(nil).name == "send")
    }

    @Test("A status that the request doesn't accept is as good as no response")
    func unacceptable() throws {
        var caching = try #require(try caching(.prefer(maxAge: .seconds(60))))
        _ = caching.start()
        #expect(caching.found(try hit(status: 404)).name == "read")
        #expect(caching.found(nil).name == "send")
    }

    @Test("Revalidating sends the validators, and a 304 confirms what they belong to")
    func revalidate() throws {
        var caching = try #require(try caching(.revalidate))
        _ = caching.start()
        guard case .send(let request, _) = caching.found(try hit()) else {
            Issue.record("nothing is sent")
            return
        }
        #expect(request.value(forHTTPHeaderField: "If-None-Match") == "v")
        let answer = try response(304)
        guard case .confirm(_, let confirmed) = caching.received(answer, nil) else {
            Issue.record("nothing is confirmed")
            return
        }
        #expect(confirmed.cached.timestamp == answer.timestamp)
    }

    @Test("Another answer than a 304 takes the cached one's place")
    func changed() throws {
        var caching = try #require(try caching(.revalidate))
        _ = caching.start()
        _ = caching.found(try hit())
        #expect(caching.received(try response(), nil).name == "take")
    }

    @Test("A 304 that nobody asked for is taken as it is")
    func unasked() throws {
        var caching = try #require(try caching(.fallback))
        _ = caching.start()
        #expect(caching.received(try response(304), nil).name == "take")
    }

    @Test(
        "A success of an unsafe method has the GET forgotten, a failure doesn't",
        arguments: [(204, "forget"), (303, "forget"), (500, "take")])
    func unsafe(status: Int, step: String) throws {
        var caching = try #require(try caching(.fallback, "PUT"))
        #expect(caching.requestToKeep == nil)
        #expect(caching.start().name == "send")
        #expect(caching.received(try response(status), nil).name == step)
    }

    @Test("A failure of an unsafe method reads no cache")
    func unsafeFailure() throws {
        var caching = try #require(try caching(.fallback, "DELETE"))
        _ = caching.start()
        #expect(caching.failed(offline).name == "take")
    }

    @Test("A timeout while a cache is read ends the task, and what is found later doesn't count")
    func timeoutWhileReading() throws {
        var caching = try #require(try caching(.prefer(maxAge: .seconds(60))))
        _ = caching.start()
        #expect(caching.failed(ServiceError(.timedOut)).name == "take")
        #expect(caching.found(try hit()).name == "none")
    }

    @Test("A timeout on the way gives reading as much time again, once")
    func timeoutOnTheWay() throws {
        var caching = try #require(try caching(.fallback))
        _ = caching.start()
        guard case .readInstead(_, hasTimedOut: true) = caching.failed(ServiceError(.timedOut)) else {
            Issue.record("no cache is read")
            return
        }
        #expect(caching.failed(ServiceError(.timedOut)).name == "take")
    }

    @Test("After the answer, neither a failure nor another answer counts")
    func settled() throws {
        var caching = try #require(try caching(.fallback))
        _ = caching.start()
        _ = caching.received(try response(), nil)
        #expect(caching.received(try response(), nil).name == "none")
        #expect(caching.failed(offline).name == "none")
    }
}

extension RequestCaching.Step {
    /// The case's name.
    fileprivate var name: String {
        switch self {
        case .none: "none"
        case .read: "read"
        case .miss: "miss"
        case .readInstead: "readInstead"
        case .send: "send"
        case .use: "use"
        case .useAndRefresh: "useAndRefresh"
        case .notModified: "notModified"
        case .compare: "compare"
        case .fail: "fail"
        case .keep: "keep"
        case .confirm: "confirm"
        case .forget: "forget"
        case .remove: "remove"
        case .take: "take"
        }
    }
}
