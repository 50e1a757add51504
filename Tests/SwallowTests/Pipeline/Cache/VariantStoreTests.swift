import Foundation
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct VariantStoreTests {
    enum Kind: CaseIterable { case memory, disk }

    private let folder = TemporaryFolder()

    private func store(_ kind: Kind) -> VariantStore {
        switch kind {
        case .memory: VariantStore(MemoryCache())
        case .disk: VariantStore(DiskCache(folder: folder.url))
        }
    }

    private func planRequest(_ plan: String?, other: String? = nil) throws -> URLRequest {
        var request = try sampleRequest()
        request.setValue(plan, forHTTPHeaderField: "X-Plan")
        request.setValue(other, forHTTPHeaderField: "X-Other")
        return request
    }

    @Test(
        "Requests that differ in a field named by Vary are all cached, each with its own",
        arguments: Kind.allCases)
    func variants(kind: Kind) throws {
        let store = store(kind)
        let plans = [nil, "", "free", "paid", "paid,free"]
        for plan in plans {
            #expect(try store.read(for: planRequest(plan)) == nil)
            try store.write(
                cached(plan ?? "-", headers: ["Vary": "X-Plan"], for: planRequest(plan)),
                for: planRequest(plan))
        }
        for plan in plans {
            #expect(try store.read(for: planRequest(plan))?.text == (plan ?? "-"))
        }
    }

    @Test("A response that varies by more than another doesn't answer its requests", arguments: Kind.allCases)
    func changingVary(kind: Kind) throws {
        let store = store(kind)
        try store.write(
            cached("a", headers: ["Vary": "X-Plan"], for: planRequest("a")), for: planRequest("a"))
        for other in ["1", "2", "3"] {
            let sent = try planRequest("b", other: other)
            try store.write(cached(other, headers: ["Vary": "X-Plan, X-Other"], for: sent), for: sent)
        }
        #expect(try store.read(for: planRequest("a", other: "1"))?.text == "a")
        for other in ["1", "2", "3"] {
            let text = try store.read(for: planRequest("b", other: other))?.text
            #expect(text == other)
        }
        #expect(try store.read(for: planRequest("b")) == nil)
    }

    @Test("Whatever a server varies by, no request is served another's response", arguments: Kind.allCases)
    func anyVary(kind: Kind) throws {
        let store = store(kind)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let plan = ["a", "b", "c"].randomElement(using: &generator)
            let other = ["1", "2", nil].randomElement(using: &generator) ?? nil
            let sent = try planRequest(plan, other: other)
            let vary = ["X-Plan, X-Other", "X-Other,X-Plan", "X-Plan,X-Other,X-Third"].randomElement(
                using: &generator)
            let text = (plan ?? "-") + " " + (other ?? "-")
            if let stored = store.read(for: sent) { #expect(stored.text == text) }
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: store.remove(for: sent)
            case 1: try store.confirm(cached(text).response, as: cached(text), for: sent)
            default: try store.write(cached(text, headers: ["Vary": vary ?? "*"], for: sent), for: sent)
            }
        }
    }

    @Test("A variant that is written anew in another's place leaves no older one behind")
    func noOlderVariant() throws {
        let store = store(.memory)
        for plan in ["a", "b"] {
            try store.write(
                cached(plan, headers: ["Vary": "X-Plan"], for: planRequest(plan)), for: planRequest(plan))
        }
        try store.remove(for: planRequest("a"))
        try store.write(
            cached("new b", headers: ["Vary": "X-Plan"], for: planRequest("b")), for: planRequest("b"))
        try store.remove(for: planRequest("b"))
        try store.write(
            cached("a", headers: ["Vary": "X-Plan"], for: planRequest("a")), for: planRequest("a"))
        #expect(try store.read(for: planRequest("b")) == nil)
    }

    @Test("Vary: * is never kept, and takes the place of what was", arguments: Kind.allCases)
    func varyStar(kind: Kind) throws {
        let store = store(kind)
        try store.write(cached("old"), for: sampleRequest())
        try store.write(cached("new", headers: ["Vary": "*"]), for: sampleRequest())
        #expect(try store.read(for: sampleRequest()) == nil)
    }

    @Test("Timestamps and removals reach the variant that the request selects", arguments: Kind.allCases)
    func timestamps(kind: Kind) throws {
        let store = store(kind)
        for plan in ["a", "b"] {
            try store.write(
                cached(plan, headers: ["Vary": "X-Plan"], for: planRequest(plan)), for: planRequest(plan))
        }
        let later = Date(timeIntervalSinceReferenceDate: 123.456)
        let confirmed = try cached("b", headers: ["Vary": "X-Plan"], timestamp: later, for: planRequest("b"))
        try store.confirm(cached("b").response, as: confirmed, for: planRequest("b"))
        #expect(try store.read(for: planRequest("b"))?.timestamp == later)
        #expect(try store.read(for: planRequest("a"))?.timestamp != later)
        try store.remove(for: planRequest("b"))
        #expect(try store.read(for: planRequest("b")) == nil)
        #expect(try store.read(for: planRequest("a"))?.text == "a")
    }

    @Test("A request without a key is neither read nor written")
    func noKey() throws {
        let store = store(.memory)
        let post = try sampleRequest(method: "POST")
        try store.write(cached(for: post), for: post)
        #expect(store.read(for: post) == nil)
    }

    @Test("A failure is stored in place of another failure, never of a success", arguments: Kind.allCases)
    func failures(kind: Kind) throws {
        let store = store(kind)
        func fail(_ text: String, _ plan: String, _ headers: [String: String] = [:]) throws {
            let failure = try cached(text, status: 503, headers: headers, for: planRequest(plan))
            try store.writeFailure(failure, for: planRequest(plan), unlessReplacing: 200..<300, since: .max)
        }
        try fail("first", "a")
        try fail("second", "a")
        #expect(try store.read(for: planRequest("a"))?.text == "second")
        try store.write(
            cached("a", headers: ["Vary": "X-Plan"], for: planRequest("a")), for: planRequest("a"))
        // A failure replaces the success neither for the same request, nor for a request that `Vary` distinguishes from
        // it.
        try fail("third", "a")
        try fail("fourth", "b")
        #expect(try store.read(for: planRequest("a"))?.text == "a")
        try fail("fifth", "b", ["Vary": "X-Plan"])
        #expect(try store.read(for: planRequest("a"))?.text == "a")
        #expect(try store.read(for: planRequest("b"))?.text == "fifth")
    }

    @Test("A failure doesn't replace a success that arrived through a redirect", arguments: Kind.allCases)
    func failureAfterRedirect(kind: Kind) throws {
        let store = store(kind)
        let request = try sampleRequest()
        let moved = try sampleRequest("http://service.test/moved")
        let target = try cached("moved", for: moved)
        let success = CachedResponse(
            response: target.response, data: target.data, timestamp: target.timestamp, for: request)
        store.write(success, for: request)
        let failure = try cached("failed", status: 503)
        store.writeFailure(failure, for: request, unlessReplacing: 200..<300, since: .max)
        #expect(store.read(for: request)?.text == "moved")
        store.remove(for: request)
        store.writeFailure(failure, for: request, unlessReplacing: 200..<300, since: .max)
        #expect(store.read(for: request)?.text == "failed")
    }
}
