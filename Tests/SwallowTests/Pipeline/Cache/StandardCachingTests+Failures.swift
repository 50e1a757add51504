import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The storage of failures (RFC 9111 §3).
extension StandardCachingTests {
    private func service(early: MemoryCache, late: MemoryCache) -> WebService {
        var service = WebService.test(server)
        service.clock = clock
        service.configure { configuration in
            configuration.cachePolicy = .standard
            configuration.pipeline[.rawData].cacheUsing(early)
            configuration.pipeline[.parsing].cacheUsing(late)
        }
        return service
    }

    @Test(
        "A failure with explicit freshness is stored, and served while it is fresh",
        arguments: [404, 405, 410, 414, 501, 500, 503, 599], Kind.allCases)
    func storedFailures(status: Int, kind: Kind) async throws {
        let service = service(kind)
        answer(#"{"message": "gone"}"#, ["Cache-Control": "max-age=60"], status: status)
        for _ in 0..<3 {
            let error = try #require(await service.GET("/a").result.failure)
            #expect(error.statusCode == status && error.reason == .unacceptableStatus)
            #expect(error.json["message"].string == "gone" && error.request != nil)
        }
        #expect(sent.count == 1)
        clock.advance(by: .seconds(60))
        answer(["Cache-Control": "max-age=60"])
        for _ in 0..<2 { #expect(try await service.GET("/a").json == [1]) }
        #expect(sent.count == 2)
    }

    @Test("No other failure is stored, and none without explicit freshness")
    func otherFailures() async throws {
        let service = service()
        for (fields, status) in [
            ("max-age=60", 400), ("max-age=60", 401), ("max-age=60", 403), ("max-age=60", 429),
            ("max-age=0", 404),
            ("", 404), ("max-age=60, no-store", 404), ("max-age=60, no-cache", 404), ("max-age=x", 503),
        ] {
            answer(
                "{}", ["Cache-Control": fields, "Last-Modified": "Sun, 22 Nov 2025 06:00:00 GMT"],
                status: status)
            let count = sent.count
            for _ in 0..<2 { _ = await service.GET("/a").result }
            #expect(sent.count == count + 2, "\(fields) \(status)")
        }
    }

    /// The cases "status-N-fresh", "status-N-stale" and "status-N-must-understand" of the public suite http-tests/cache-tests,
    /// except those for redirects, which browsers skip.
    @Test(
        "The public suite's statuses: fresh responses are reused, stale ones aren't",
        arguments: [200, 203, 204, 299, 404, 410, 500, 502, 503, 504, 599])
    func publicSuite(status: Int) async throws {
        let service = service(early: MemoryCache(), late: MemoryCache())
        for (path, fields, isReused) in [
            ("/fresh", "max-age=100000", true), ("/stale", "max-age=0", false),
            (
                "/understood", "max-age=3600, no-store, must-understand",
                ResponseDirectives.allowsHeuristic(status)
            ),
        ] as [(Request.Path, String, Bool)] {
            let body = status == 204 ? "" : "[1]"
            answer(body, ["Cache-Control": fields], status: status)
            let count = sent.count
            for _ in 0..<2 {
                let result = await service.GET(path).result
                let received = (try? result.get().statusCode) ?? result.failure?.statusCode
                #expect(received == status)
            }
            #expect(sent.count == count + (isReused ? 1 : 2), "\(path)")
        }
    }

    @Test(
        "A stored failure never replaces a stored success, which is still served offline and by stale-if-error",
        arguments: [405, 414, 501, 500, 503, 599], Kind.allCases)
    func success(status: Int, kind: Kind) async throws {
        let service = service(kind)
        for (path, fields) in [
            ("/offline", "max-age=60"), ("/error", "max-age=60, stale-if-error=600"),
        ] as [(Request.Path, String)] {
            answer(["Cache-Control": fields])
            _ = try await service.GET(path).json
        }
        clock.advance(by: .seconds(61))
        answer("{}", ["Cache-Control": "max-age=60"], status: status)
        #expect(await service.GET("/offline").result.failure?.statusCode == status)
        let fresh: [Request.Option] = [.header("Cache-Control", "no-cache")]
        #expect(await service.GET("/error", options: fresh).result.failure?.statusCode == status)
        answer("", [:], status: 503)
        #expect(try await service.GET("/error").result.get().origin == .cache)
        server.goOffline()
        for path in ["/offline", "/error"] as [Request.Path] {
            #expect(try await service.GET(path).result.get().origin == .cache)
        }
    }

    @Test("A 404 or 410 deletes the stored success and is stored in its place", arguments: [404, 410])
    func gone(storing status: Int) async throws {
        let service = service()
        answer(["Cache-Control": "max-age=60"])
        _ = try await service.GET("/a").json
        clock.advance(by: .seconds(61))
        answer("{}", ["Cache-Control": "max-age=60"], status: status)
        _ = await service.GET("/a").result
        server.goOffline()
        #expect(await service.GET("/a").result.failure?.statusCode == status)
        clock.advance(by: .seconds(61))
        #expect(await service.GET("/a").result.failure?.statusCode == nil)
    }

    @Test("A failure in one stage's cache doesn't hide an earlier stage's success")
    func earlierStage() async throws {
        let late = MemoryCache()
        let service = service(early: MemoryCache(), late: late)
        answer("{}", ["Cache-Control": "max-age=60"], status: 503)
        _ = await service.GET("/a").result
        let key = try #require(late.key(for: sent[0]))
        let failure = try #require(late.read(key))
        clock.advance(by: .seconds(61))
        answer(["Cache-Control": "max-age=1"])
        _ = try await service.GET("/a").json
        late.write(failure, for: key)
        clock.advance(by: .seconds(61))
        server.goOffline()
        #expect(try await service.GET("/a").json == [1])
    }

    @Test("A retry doesn't read a stored failure")
    func retry() async throws {
        var service = service()
        service.configure {
            $0.retry = RetryPolicy()
            $0.retry.jitter = 1...1
        }
        let held = Recorder<ManualExchange>()
        server.now { held.append($0) }
        let retrying = service.GET("/a")
        let exchange = await held.first(1)[0]
        answer("{}", ["Cache-Control": "max-age=60"], status: 503)
        _ = await service.GET("/a", options: [.retry(.never)]).result
        #expect(await service.GET("/a", options: [.retry(.never)]).result.failure?.statusCode == 503)
        #expect(sent.count == 2)
        exchange.answer("{}", status: 503)
        answer(["Cache-Control": "max-age=60"])
        clock.advance(by: .milliseconds(500))
        #expect(try await retrying.json == [1])
        #expect(try await service.GET("/a").json == [1])
        #expect(sent.count == 3)
    }
}
