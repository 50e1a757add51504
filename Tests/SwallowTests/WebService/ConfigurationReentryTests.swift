import Foundation
import TestSupport
import Testing

import Swallow

@Suite("Configure closures that use their own service")
struct ConfigurationReentryTests {
    /// Returns the headers of a request, or `nil` if the call never returns.
    private func headers(
        of path: Request.Path = "/", _ service: WebService
    ) async throws -> Headers? {
        let found = Recorder<Headers?>()
        Thread.detachNewThread { found.append(service.GET(path).request.headers) }
        let watch = SystemClock().schedule(after: .seconds(600)) { found.append(nil) }
        defer { watch.cancel() }
        return await found.first(1)[0]
    }

    @Test("A request that a closure creates isn't configured by the closures that are running")
    func inner() async throws {
        let (later, inner, problems) = (Lock<WebService?>(nil), Recorder<Headers>(), Recorder<String>())
        var service = WebService.idle("http://service.test/v1")
        service.configure("/other") { $0.headers["X-Other"] = "1" }
        service.configure {
            $0.headers["X-All"] = "1"
            for path in ["/", "/other"] as [Request.Path] {
                if let request = later.withLock({ $0 })?.GET(path).request { inner.append(request.headers) }
            }
        }
        service.log = { if case .misconfigured(let problem) = $0 { problems.append(problem) } }
        later.withLock { [service] in $0 = service }
        #expect(try await headers(service) == ["X-All": "1"])
        #expect(inner.values == [[:], ["X-Other": "1"]])
        #expect(problems.values.count == 2)
        #expect(problems.values.allSatisfy { $0.contains("http://service.test/v1") })
        #expect(try await headers(of: "/other", service) == ["X-Other": "1", "X-All": "1"])
    }

    @Test("Closures of two services that use each other on two threads both return")
    func crossing() async throws {
        for _ in 0..<Sanitizer.rounds(50, sanitized: 10) {
            let services = Lock<[WebService]>([])
            let meeting = DispatchGroup()
            for index in 0..<2 {
                var service = WebService.idle("http://\(index).test")
                meeting.enter()
                let isFirst = Lock(true)
                service.configure {
                    $0.headers["X"] = "\(index)"
                    if isFirst.withLock({ isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }) {
                        meeting.leave()
                        _ = meeting.wait(timeout: .now() + 600)
                    }
                    _ = services.withLock { $0[1 - index] }.GET("/")
                }
                services.withLock { [service] in $0.append(service) }
            }
            let both = services.withLock { $0 }
            async let first = headers(both[0])
            async let second = headers(both[1])
            #expect(try await first == ["X": "0"])
            #expect(try await second == ["X": "1"])
        }
    }

    @Test("A closure can wipe the service's caches")
    func wipe() async throws {
        let later = Lock<WebService?>(nil)
        var service = WebService.idle("http://service.test")
        service.configure {
            $0.headers["X"] = "1"
            later.withLock { $0 }?.wipeCaches()
        }
        later.withLock { [service] in $0 = service }
        #expect(try await headers(service) == ["X": "1"])
    }

    @Test("A request that a closure creates later is configured normally")
    func laterRequest() async throws {
        let (later, found) = (Lock<WebService?>(nil), Recorder<Headers?>())
        var service = WebService.idle("http://service.test")
        service.configure {
            $0.headers["X"] = "1"
            Task { found.append(later.withLock { $0 }?.GET("/").request.headers) }
        }
        later.withLock { [service] in $0 = service }
        #expect(try await headers(service) == ["X": "1"])
        #expect(await found.first(1) == [["X": "1"]])
    }
}
