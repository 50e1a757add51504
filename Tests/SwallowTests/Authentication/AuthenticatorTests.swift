import Foundation
import LoopbackServer
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Authenticators")
struct AuthenticatorTests {
    /// An authenticator whose session begins with its own request.
    private actor Session: Authenticator {
        let later = Lock<WebService?>(nil)
        let refreshes = Recorder<Int>()
        private var key: String?

        func authorize(_ request: inout URLRequest) async throws {
            if key == nil {
                guard let service = later.withLock({ $0 }) else { throw AppError() }
                key = try await service.POST("/session").json["key"].string
            }
            request.setValue(key, forHTTPHeaderField: "X-Session")
        }

        func refresh(after response: HTTPURLResponse, to request: URLRequest) async throws {
            refreshes.append(response.statusCode)
            key = nil
        }
    }

    @Test("An app's own authenticator can be an actor and use the service itself")
    func own() async throws {
        let count = Lock(0)
        let source = ScriptedDataSource { request, _ in
            if request.url?.path == "/session" {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return .status(200, body: #"{"key":"key \#(number)"}"#)
            }
            return .status(request.value(forHTTPHeaderField: "X-Session") == "key 2" ? 200 : 401)
        }
        let session = Session()
        let service = WebService.scripted(source) { $0.authenticator = session }
        session.later.withLock { $0 = service }
        #expect(try await service.GET("/").json == [:])
        #expect(session.refreshes.values == [401])
        #expect(count.withLock { $0 } == 2)
    }

    private struct Signer: Authenticator {
        let clock: ManualClock
        let problem: (@Sendable (inout URLRequest) throws -> Void)?

        func authorize(_ request: inout URLRequest) throws {
            let time = Int(clock.now.timeIntervalSince1970) - 1_893_456_000
            request.addValue("signed at \(time)", forHTTPHeaderField: "X-Signature")
            try problem?(&request)
        }

        func isRejection(_ response: HTTPURLResponse, of request: URLRequest) -> Bool { false }
        func refresh(after response: HTTPURLResponse, to request: URLRequest) {}
    }

    @Test("Each attempt has its own signature, added to the original request")
    func signature() async throws {
        let clock = ManualClock()
        let source = ScriptedDataSource(.status(503), .status(200))
        let service = WebService.scripted(source, clock) {
            $0.authenticator = Signer(clock: clock, problem: nil)
            $0.retry = RetryPolicy()
            $0.retry.jitter = 1...1
            $0.retry.backoff = .init(first: .seconds(3))
        }
        let task = service.GET("/")
        _ = await source.requests.first(1)
        try await clock.pending(atLeast: 1)
        clock.advance(by: .seconds(3))
        #expect(try await task.json == [:])
        let signatures = source.requests.values.map { $0.value(forHTTPHeaderField: "X-Signature") }
        #expect(signatures == ["signed at 0", "signed at 3"])
    }

    @Test("If an authenticator throws or makes the request invalid, the task fails and nothing is sent")
    func problems() async {
        let problems: [(@Sendable (inout URLRequest) throws -> Void, ServiceError.Reason)] = [
            ({ _ in throw AppError() }, .authentication), ({ _ in throw CancellationError() }, .cancelled),
            ({ $0.url = nil }, .invalidURL), ({ $0.httpBody = Data([1]) }, .invalidRequest),
        ]
        for (problem, reason) in problems {
            let source = ScriptedDataSource(.status(200))
            let service = WebService.scripted(source) {
                $0.authenticator = Signer(clock: ManualClock(), problem: problem)
            }
            #expect(await service.GET("/").finalError?.reason == reason)
            #expect(source.requests.values.isEmpty)
        }
    }

    /// An authenticator whose refreshes wait.
    private final class Slow: Authenticator {
        let door = Door()
        let refreshes = Recorder<String>()
        private let key = Lock("old")

        func authorize(_ request: inout URLRequest) {
            request.setValue(key.withLock { $0 }, forHTTPHeaderField: "X-Key")
        }

        func refresh(after response: HTTPURLResponse, to request: URLRequest) async throws {
            refreshes.append(request.value(forHTTPHeaderField: "X-Key") ?? "none")
            await door.pass()
            key.withLock { $0 = "new" }
        }
    }

    @Test("Concurrent requests share one refresh, and cancelling one of them doesn't affect the others")
    func once() async throws {
        let source = ScriptedDataSource { request, _ in
            .status(request.value(forHTTPHeaderField: "X-Key") == "new" ? 200 : 401)
        }
        let slow = Slow()
        let service = WebService.scripted(source) { $0.authenticator = slow }
        let tasks = (0..<50).map { _ in service.GET("/") }
        await slow.door.arrivals()
        tasks[0].cancel()
        #expect(await tasks[0].finalError?.isCancelled == true)
        slow.door.open()
        for task in tasks.dropFirst() { #expect(try await task.json == [:]) }
        #expect(slow.refreshes.values.count == 1)
        #expect(source.requests.values.count <= 99)
    }

    /// An authenticator whose refreshes fail as often as the test specifies.
    private final class Failing: Authenticator {
        let rejected = Recorder<Int>()
        let failures = Lock(1)
        private let key = Lock(0)

        func authorize(_ request: inout URLRequest) {
            request.setValue("\(key.withLock { $0 })", forHTTPHeaderField: "X-Key")
        }

        func refresh(after response: HTTPURLResponse, to request: URLRequest) throws {
            rejected.append(response.statusCode)
            let fails = failures.withLock { failures in
                failures -= 1
                return failures >= 0
            }
            if fails { throw AppError() }
            key.withLock { $0 += 1 }
        }
    }

    @Test("A refresh that failed is repeated by the next request, with the rejection that caused it")
    func refreshedAgain() async throws {
        let least = Lock(1)
        let source = ScriptedDataSource { request, _ in
            let key = request.value(forHTTPHeaderField: "X-Key").flatMap { Int($0) } ?? -1
            return .status(key >= least.withLock { $0 } ? 200 : 401)
        }
        let failing = Failing()
        let service = WebService.scripted(source) { $0.authenticator = failing }
        #expect(await service.GET("/").finalError?.reason == .authentication)
        #expect(try await service.GET("/").json == [:])
        #expect(failing.rejected.values == [401, 401])
        #expect(source.requests.values.count == 2)
        least.withLock { $0 = 2 }
        #expect(try await service.GET("/").json == [:])
        #expect(failing.rejected.values == [401, 401, 401])
    }

    @Test("Cancelling a task cancels the authenticator if no other task waits for it")
    func cancel() async {
        let (began, ended) = (Event(), Event())
        struct Patient: Authenticator {
            let began: Event
            let ended: Event

            func authorize(_ request: inout URLRequest) async throws {
                began.happen()
                try? await Task.sleep(for: .seconds(3600))
                ended.happen()
            }

            func refresh(after response: HTTPURLResponse, to request: URLRequest) {}
        }
        let source = ScriptedDataSource(.status(200))
        let task = WebService.scripted(source) { $0.authenticator = Patient(began: began, ended: ended) }.GET(
            "/")
        await began.wait()
        task.cancel()
        #expect(await task.finalError?.isCancelled == true)
        await ended.wait()
        #expect(source.requests.values.isEmpty)
    }

    @Test(
        "Name and password are sent with each request, and a rejection is the response",
        arguments: Contestant.transports)
    func basic(contestant: Contestant) async throws {
        let server = try LoopbackServer { request in
            // The example of RFC 7617 §2.1: the user "test" with the password "123£".
            request.header("Authorization") == "Basic dGVzdDoxMjPCow=="
                ? .respond(.json("{}"))
                : .respond(
                    .init(
                        status: 401, headers: [("WWW-Authenticate", "Basic realm=x")],
                        body: .data(Data("no".utf8))))
        }
        func service(_ password: String) -> WebService {
            var service = WebService(baseURLString: server.baseURLString, dataSource: contestant.source())
            service.configure { $0.authenticator = .basic("test", password) }
            return service
        }
        #expect(try await service("123\u{A3}").POST("/", parameters: ["a": 1]).json == [:])
        let error = await service("wrong").GET("/").finalError
        #expect(error?.statusCode == 401 && error?.attempts == 1)
        #expect(server.requests.count == 2)
    }

    @Test(
        "A name or password that RFC 7617 forbids fails with .invalidRequest",
        arguments: [("a:b", "c"), ("a", "b\n"), ("\0", "")])
    func badNames(user: String, password: String) async {
        let source = ScriptedDataSource(.status(200))
        // With digest authentication, a name may contain a colon.
        let digests: [PasswordAuthenticator] = user.contains(":") ? [] : [.digest(user, password)]
        for authenticator in [.basic(user, password)] + digests {
            let service = WebService.scripted(source) { $0.authenticator = authenticator }
            #expect(await service.GET("/").finalError?.reason == .invalidRequest)
        }
        #expect(source.requests.values.isEmpty)
    }
}
