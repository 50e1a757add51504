import Foundation
import SwallowResources
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Retries and tokens, of repositories and resources")
struct RetryEverywhereTests {
    private let clock = ManualClock()

    /// Returns a service that retries each failure immediately.
    private func service(
        _ source: ScriptedDataSource,
        _ change: @escaping @Sendable (inout WebService.Configuration) -> Void = { _ in }
    ) -> WebService {
        .scripted(source, clock) {
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .zero)
            change(&$0)
        }
    }

    /// Returns a data source that accepts only the token `new`.
    private func guarded(_ body: String) -> ScriptedDataSource {
        ScriptedDataSource { request, _ in
            request.value(forHTTPHeaderField: "Authorization") == "Bearer new"
                ? .status(200, body: body) : .status(401)
        }
    }

    private func authenticator(_ refreshes: Recorder<String?>) -> TokenAuthenticator {
        TokenAuthenticator(token: .init("old")) { rejected in
            refreshes.append(rejected?.value)
            return .init("new")
        }
    }

    // MARK: Repositories

    @Test("What a repository reads comes from the last attempt")
    func reads() async throws {
        let source = ScriptedDataSource(
            .status(503), .error(.networkConnectionLost), .status(200, body: Member.json))
        #expect(try await Members(service: service(source)).read(id: 7).value == .ada)
        #expect(source.requests.values.map(\.url?.path) == ["/users/7", "/users/7", "/users/7"])
    }

    @Test("A repository updates again with the same body, and doesn't create again")
    func writes() async throws {
        let source = ScriptedDataSource(.status(503), .status(200, body: Member.json))
        #expect(try await Members(service: service(source)).update(.bob).value == .ada)
        let bodies = source.requests.values.map { String(decoding: $0.httpBody ?? Data(), as: UTF8.self) }
        #expect(bodies == Array(repeating: #"{"id":8,"name":"Bob"}"#, count: 2))
        let failing = ScriptedDataSource(.status(503))
        let members = Members(service: service(failing))
        #expect(await members.create(.bob).failure?.attempts == 1)
        #expect(await members.delete(id: 7).failure?.attempts == 3)
        #expect(failing.requests.values.map(\.httpMethod) == ["POST", "DELETE", "DELETE", "DELETE"])
    }

    @Test("A future that is started again begins with a first attempt")
    func future() async {
        let source = ScriptedDataSource(.status(503))
        let read = Members(service: service(source)).read(id: 7)
        for _ in 0..<2 { #expect(await read.failure?.attempts == 3) }
        #expect(source.requests.values.count == 6)
    }

    @Test("Each page of a sequence may take its attempts")
    func pages() async throws {
        let source = ScriptedDataSource { request, index in
            if index % 2 == 0 { return .status(502) }
            let number = request.url?.query?.contains("page=2") == true ? 2 : 1
            return .status(
                200, ["X-Total": "2", "X-Per-Page": "1", "X-Page": "\(number)"], body: "[\(Member.json)]")
        }
        var numbers: [Int?] = []
        for try await page in Members(service: service(source)).pages(size: 1) { numbers.append(page.number) }
        #expect(numbers == [1, 2])
        #expect(source.requests.values.count == 4)
    }

    @Test("A repository's requests get through with one new token")
    func tokens() async throws {
        let (source, refreshes) = (guarded("[\(Member.json)]"), Recorder<String?>())
        let token = authenticator(refreshes)
        let members = Members(service: service(source) { $0.authenticator = token })
        async let first = members.readAll().value
        async let second = members.readAll().value
        async let third: Void = members.delete(id: 7).value
        _ = try await (first, second, third)
        #expect(refreshes.values == ["old"])
        #expect(source.credentials.filter { $0 == "Bearer new" }.count == 3)
        #expect(source.credentials.count <= 6)
    }

    // MARK: Resources

    @MainActor
    @Test("A load with retries is one load: observers are told of its end only")
    func load() async {
        let source = ScriptedDataSource(.status(503), .status(503), .status(200, body: "[1, 2]"))
        let store = ResourceStore(service: service(source))
        let (numbers, events) = (store.resource("/numbers", as: [Int].self), Recorder<ResourceEvent>())
        numbers.addObserver(owner: store) { _, _, event in events.append(event) }
        #expect(await numbers.load().result.value == [1, 2])
        #expect(events.values == [.observerAdded, .requested, .newData(.network)])
        #expect(numbers.latestContent == [1, 2] && numbers.latestError == nil)
        #expect(source.requests.values.count == 3)
    }

    @MainActor
    @Test("A load that gives up says how often it tried, and keeps the data")
    func failure() async {
        let source = ScriptedDataSource { _, index in index == 0 ? .status(200, body: "[1]") : .status(503) }
        let store = ResourceStore(service: service(source))
        let numbers = store.resource("/numbers", as: [Int].self)
        _ = await numbers.load().result
        #expect(await numbers.load().result.reason == .unacceptableStatus)
        #expect(numbers.latestError?.attempts == 3)
        #expect(numbers.latestContent == [1])
    }

    @MainActor
    @Test("While it waits for a retry a load is under way, and can be cancelled")
    func waiting() async throws {
        let source = ScriptedDataSource(.status(503), .status(200, body: "[1]"))
        let store = ResourceStore(service: service(source) { $0.retry = RetryPolicy() })
        let numbers = store.resource("/numbers", as: [Int].self)
        let load = numbers.load()
        try await clock.pending(atLeast: 1)
        #expect(numbers.isLoading)
        load.cancel()
        #expect(await load.result.reason == .cancelled)
        #expect(!numbers.isLoading && clock.pending == 0)
        clock.advance(by: .seconds(60))
        #expect(source.requests.values.count == 1)
    }

    @MainActor
    @Test(
        "A load and a write get through with one new token, and the write still has the resource loaded anew")
    func token() async throws {
        let (source, refreshes) = (guarded("[1]"), Recorder<String?>())
        let token = authenticator(refreshes)
        let store = ResourceStore(service: service(source) { $0.authenticator = token })
        let (numbers, events) = (store.resource("/numbers", as: [Int].self), Recorder<ResourceEvent>())
        numbers.addObserver(owner: store) { _, _, event in events.append(event) }
        #expect(await numbers.load().result.value == [1])
        #expect(source.credentials == ["Bearer old", "Bearer new"])
        _ = try await numbers.request(.PUT, parameters: ["a": 1]).data
        await until { !numbers.isLoading && source.requests.values.count == 4 }
        #expect(source.requests.values.map(\.httpMethod) == ["GET", "GET", "PUT", "GET"])
        #expect(refreshes.values == ["old"])
        #expect(!events.values.contains { $0 == .error })
    }
}
