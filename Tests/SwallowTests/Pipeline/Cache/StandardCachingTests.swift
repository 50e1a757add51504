import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests RFC 9111 and RFC 5861 as `CachePolicy.standard` implements them. These files have tests for each section:
///
/// | Section | Tests |
/// |---|---|
/// | RFC 9111 §3 storing, §3.1 fields, §5.2.2.3 must-understand, §5.2.2.5 no-store | `+Storing`, `+Failures` |
/// | §3.2, §4.3.4 fields of a 304 | `CacheRulesTests`, `+Validation` |
/// | §4 the `Age` of a stored response | `+Age` |
/// | §4.1 `Vary` | `+Storing`, `CachedResponseTests`, `DiskCacheTests`, `CacheRulesTests` (cookies) |
/// | §4.2.1–3 lifetime, heuristic lifetime, age | `+Freshness`, `FreshnessTests` |
/// | §4.2.4 stale responses | `+StaleUse`, `CachePolicyTests` |
/// | §4.3.1–3 validation | `+Validation`, `CacheDecisionTests`, `CachePolicyFaultTests` |
/// | §4.3.2 conditions of the caller | `+Validation` |
/// | §4.3.5 HEAD | `+Validation` |
/// | §4.4 invalidation by writes | `+Invalidation`, `CacheRulesTests`, `RedirectedCachingTests` |
/// | §5.1–5.4 parsing the fields | `FreshnessTests` |
/// | §5.2.1 directives of the request | `+Freshness`, `FreshnessTests`, `CacheRulesTests` |
/// | §5.2.2 directives of the response | `+Freshness`, `CacheRulesTests` |
/// | RFC 5861 stale-while-revalidate, stale-if-error | `+StaleUse` |
/// | RFC 9110 §15.4 redirects | `RedirectedCachingTests` |
@Suite("Standard caching")
struct StandardCachingTests {
    enum Kind: CaseIterable, Sendable { case memory, disk }

    let clock = ManualClock(now: Date(timeIntervalSince1970: 1_795_327_200))
    let server = CachingServer { $0.answer("[1]") }
    let folder = TemporaryFolder()
    let parsed = Recorder<Int>()

    func service(_ kind: Kind = .memory) -> WebService {
        var service = WebService.test(server)
        service.clock = clock
        let cache: any EntityCache = kind == .memory ? MemoryCache() : DiskCache(folder: folder.url)
        service.configureTransformer(atStage: .model) { [parsed] (entity: Entity<JSON>) in
            parsed.append(1)
            return entity.content
        }
        service.configure { configuration in
            configuration.cachePolicy = .standard
            configuration.pipeline[kind == .memory ? .model : .rawData].cacheUsing(cache)
        }
        return service
    }

    func answer(_ headers: [String: String]) { answer("[1]", headers) }

    func answer(_ body: String, _ headers: [String: String], status: Int = 200) {
        let headers = headers.merging(["Content-Type": "application/json"]) { $1 }
        server.now { $0.answer(body, status: status, headers: headers) }
    }

    var sent: [URLRequest] { server.requests.values }
}
