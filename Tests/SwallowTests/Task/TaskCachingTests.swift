import Foundation
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The steps of caching in a task")
struct TaskCachingTests {
    private let plan: PipelinePlan = {
        var pipeline = Pipeline()
        pipeline[.rawData].cacheUsing(MemoryCache())
        pipeline[.model].cacheUsing(MemoryCache())
        return PipelinePlan(pipeline)
    }()
    private let offline = ServiceError(.transport(URLError(.notConnectedToInternet)))

    private func caching(
        _ policy: CachePolicy, _ method: Request.Method = .GET, validators: Validators? = nil
    ) throws -> TaskCaching {
        let request = Request(method, baseURLString: "http://service.test/a")
        return try #require(
            TaskCaching(try request.urlRequest(), of: request, policy, plan, validators: validators))
    }

    private func response(_ status: Int = 200, _ headers: [String: String] = [:]) throws -> ReceivedResponse {
        let url = try #require(URL(string: "http://service.test/a"))
        let head = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers))
        return ReceivedResponse(head: ResponseHead(head), data: Data("1".utf8), timestamp: Date())
    }

    private func stored(
        stage: Int = 1, status: Int = 200, _ headers: [String: String] = ["ETag": "v"]
    ) throws -> StoredResponse {
        let cached = CachedResponse(
            response: try response(status, headers).head, data: Data(), timestamp: Date(),
            for: try sampleRequest("http://service.test/a", [:]))
        return StoredResponse(cached, stage: stage, at: Date()) { $0 == 200 }
    }

    @Test("A pipeline without a cache has no caching")
    func noCache() throws {
        let request = Request(.GET, baseURLString: "http://service.test/a")
        let caching = TaskCaching(
            try request.urlRequest(), of: request, .standard, PipelinePlan(Pipeline()))
        #expect(caching == nil)
    }

    @Test("networkFirst sends first, reads after the transport's failure, and fails with it after a miss")
    func networkFirst() throws {
        var caching = try caching(.networkFirst)
        #expect(caching.start().name == "send")
        #expect(caching.failed(offline).name == "read")
        #expect(caching.failed(offline).name == "end")
        #expect(caching.found(nil).name == "none")
    }

    @Test("A stored response replaces a response that doesn't arrive", arguments: [true, false])
    func stale(isStandard: Bool) throws {
        var caching = try caching(isStandard ? .standard : .networkFirst)
        if isStandard {
            #expect(caching.start().name == "read")
            #expect(caching.found(try stored()).name == "send")
        } else {
            _ = caching.start()
        }
        #expect(caching.failed(offline).name == "read")
        #expect(caching.found(try stored()).name == "use")
    }

    @Test("After another failure, and under the other policies, caches aren't read")
    func otherFailure() throws {
        var caching = try caching(.networkFirst)
        _ = caching.start()
        #expect(caching.failed(ServiceError(.invalidResponse)).name == "end")
        for policy in [CachePolicy.validate, .reload] {
            caching = try self.caching(policy)
            if caching.start().name == "read" { #expect(caching.found(try stored()).name == "send") }
            #expect(caching.failed(offline).name == "end")
        }
    }

    @Test("onlyCache sends nothing, even if the stages reject the stored response")
    func onlyCache() throws {
        var caching = try caching(.onlyCache)
        #expect(caching.start().name == "read")
        #expect(caching.found(try stored()).name == "use")
        #expect(caching.rejected(try stored(), ServiceError(.noOutput)).name == "read")
        #expect(caching.found(nil).name == "end")
        #expect(caching.failed(offline).name == "none")
    }

    @Test("The caller's validators are sent if no cache has validators")
    func validators() throws {
        let mine = Validators(entityTag: "mine", lastModified: nil, url: URL(string: "http://service.test/a"))
        for (stored, tag) in [(nil, "mine"), (try stored(), "v")] as [(StoredResponse?, String)] {
            var caching = try caching(.validate, validators: mine)
            _ = caching.start()
            guard case .send(let sent, _) = caching.found(stored) else {
                Issue.record("nothing is sent")
                continue
            }
            #expect(sent.value(forHTTPHeaderField: "If-None-Match") == tag)
        }
    }

    @Test("After a 304, the stored response is served with the time of the 304")
    func confirmed() throws {
        var caching = try caching(.validate)
        _ = caching.start()
        _ = caching.found(try stored())
        let answer = try response(304)
        guard case .use(let confirmed, _, .confirm?) = caching.received(answer, nil) else {
            Issue.record("nothing is confirmed")
            return
        }
        #expect(confirmed.isConfirmed && confirmed.cached.timestamp == answer.timestamp)
    }

    @Test(
        "Only the content of a complete success is stored",
        arguments: [(200, true), (206, false), (304, false)])
    func stores(status: Int, isStored: Bool) throws {
        var caching = try caching(.reload)
        _ = caching.start()
        #expect(caching.received(try response(status), nil).name == "end")
        #expect(caching.storesResponse == isStored)
    }

    @Test("If the stages reject a stored response, earlier caches are read, and then the request is sent")
    func rejected() throws {
        var caching = try caching(.preferCache(maxAge: .seconds(60)))
        _ = caching.start()
        let late = try stored(stage: 1)
        #expect(caching.found(late).name == "use")
        guard case .read(before: 1, afterTimeout: false) = caching.rejected(late, ServiceError(.noOutput))
        else {
            Issue.record("the earlier caches aren't read")
            return
        }
        #expect(caching.found(nil).name == "send")
    }

    @Test("A stored failure is skipped, and then the request is sent")
    func failure() throws {
        var caching = try caching(.preferCache(maxAge: .seconds(60)))
        _ = caching.start()
        #expect(caching.found(try stored(status: 404)).name == "read")
        #expect(caching.found(nil).name == "send")
    }

    @Test("A write invalidates stored responses when its head arrives, and again at its end")
    func invalidation() throws {
        var caching = try caching(.standard, .PUT)
        #expect(caching.storageRequest == nil)
        #expect(caching.start().name == "send")
        let head = try response().head
        #expect(caching.invalidation(by: head) != nil)
        guard case .end(_, _, .invalidate?) = caching.received(try response(), nil) else {
            Issue.record("nothing is invalidated")
            return
        }
    }

    @Test("A timeout while caches are read fails the task, and a response found later isn't used")
    func timeoutWhileReading() throws {
        var caching = try caching(.standard)
        _ = caching.start()
        #expect(caching.failed(ServiceError(.timedOut)).name == "end")
        #expect(caching.found(try stored()).name == "none")
    }

    @Test("After a timeout of the transfer, reading has the same time again, once")
    func timeoutOfTransfer() throws {
        var caching = try caching(.networkFirst)
        _ = caching.start()
        guard case .read(_, afterTimeout: true) = caching.failed(ServiceError(.timedOut)) else {
            Issue.record("no cache is read")
            return
        }
        #expect(caching.failed(ServiceError(.timedOut)).name == "end")
    }

    @Test("After the response, neither a failure nor another response has an effect")
    func decided() throws {
        var caching = try caching(.standard)
        _ = caching.start()
        _ = caching.found(nil)
        _ = caching.received(try response(), nil)
        #expect(caching.received(try response(), nil).name == "none")
        #expect(caching.failed(offline).name == "none")
    }
}

extension TaskCaching.Step {
    fileprivate var name: String {
        switch self {
        case .none: "none"
        case .read: "read"
        case .send: "send"
        case .use: "use"
        case .end: "end"
        }
    }
}
