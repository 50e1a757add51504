import Foundation
import TestSupport
import Testing

import Swallow

@Suite("Idempotency keys")
struct IdempotencyKeyTests {
    private func service(_ source: ScriptedDataSource, _ policy: RetryPolicy = .standard.withIdempotencyKey())
        -> WebService
    {
        .scripted(source) {
            $0.retry = policy
            $0.retry.backoff = .init(first: .zero)
        }
    }

    private func keys(_ source: ScriptedDataSource) -> [String?] {
        source.requests.values.map { $0.value(forHTTPHeaderField: "Idempotency-Key") }
    }

    @Test(
        "POST and PATCH are tried again, with one key for all tries",
        arguments: [Request.Method.POST, .PATCH])
    func tries(method: Request.Method) async throws {
        let source = ScriptedDataSource(.status(503), .error(.networkConnectionLost), .status(200))
        #expect(try await service(source).request(method, path: "/", parameters: ["a": 1]).json == [:])
        let keys = keys(source).compactMap { $0 }
        #expect(keys.count == 3 && Set(keys).count == 1)
        #expect(UUID(uuidString: keys[0]) != nil)
    }

    @Test("Each task has a key of its own, and one that the request has stays")
    func tasks() async throws {
        let source = ScriptedDataSource(.status(200))
        let service = service(source)
        _ = try await service.POST("/").data
        _ = try await service.POST("/").data
        _ = try await service.POST("/", options: [.header("idempotency-key", "mine")]).data
        let keys = keys(source)
        #expect(Set(keys).count == 3 && keys[2] == "mine")
    }

    @Test("The same key is sent after a refused credential")
    func refused() async throws {
        let source = ScriptedDataSource(.status(401), .status(200))
        var service = service(source)
        service.configure { $0.authenticator = TokenAuthenticator(token: .init("old")) { _ in .init("new") } }
        #expect(try await service.POST("/").json == [:])
        #expect(Set(keys(source)).count == 1 && keys(source).count == 2)
    }

    @Test("Other methods have no key, and a policy without keys doesn't send POST again")
    func others() async throws {
        let source = ScriptedDataSource(.status(503))
        _ = await service(source).PUT("/").finalError
        #expect(keys(source) == [nil, nil, nil])
        let plain = ScriptedDataSource(.status(503))
        _ = await service(plain, .standard).POST("/").finalError
        #expect(keys(plain) == [nil])
    }

    @Test("What is set on the policy before and after stays, and its budget is shared")
    func policy() {
        var policy = RetryPolicy()
        policy.maximumRetries = 7
        let other = policy.withIdempotencyKey()
        #expect(other.maximumRetries == 7 && other.budget === policy.budget)
        #expect(other.methods == policy.methods.union([.POST, .PATCH]))
        #expect(!policy.methods.contains(.POST))
    }
}
