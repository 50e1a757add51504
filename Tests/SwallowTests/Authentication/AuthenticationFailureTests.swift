import Foundation
import SwallowTesting
import TestSupport
import Testing

import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Requests without a credential")
struct AuthenticationFailureTests {
    private struct Localized: LocalizedError {
        let errorDescription: String? = "The session has ended."
    }

    /// A service whose token refresh sends a request that fails.
    private func service(_ answer: ScriptedDataSource.Answer) -> WebService {
        let source = ScriptedDataSource { request, _ in
            request.url?.path == "/token" ? answer : .status(401)
        }
        let tokens = WebService.test(source)
        return .scripted(source) {
            $0.authenticator = TokenAuthenticator(token: .init("old")) { _ in
                .init(try await tokens.POST("/token").json["token"].decode())
            }
        }
    }

    private func failure(thrownByRefresh thrown: any Error & Sendable) async -> ServiceError? {
        let source = ScriptedDataSource(.status(200))
        return await WebService.scripted(source) {
            $0.authenticator = TokenAuthenticator { _ in throw thrown }
        }.GET("/data").finalError
    }

    @Test("Requests that wait for a failed token refresh don't have the status of that refresh")
    func status() async throws {
        let service = service(.status(404, body: #"{"message":"unknown client"}"#))
        let tasks = (0..<20).map { service.GET("/stores/\($0)") }
        for (number, task) in tasks.enumerated() {
            let error = try #require(await task.finalError)
            #expect(error.reason == .authentication)
            #expect(error.request?.urlString == "http://service.test/stores/\(number)")
            #expect(error.statusCode == nil && !error.isNotFound && error.json == .missing)
            let cause = try #require(error.underlying as? ServiceError)
            #expect(cause.statusCode == 404 && cause.json["message"].string == "unknown client")
            #expect(cause.request?.urlString == "http://service.test/token")
        }
    }

    @Test("A recover for 404 doesn't turn a failed token refresh into content")
    func recover() async {
        let result = await service(.status(404)).GET("/stores")
            .recover { error in
                guard error.isNotFound else { throw error }
                return Entity(content: JSON.array([]))
            }
            .result
        #expect(result.failure?.reason == .authentication)
    }

    @Test("The error states the cause, without secrets")
    func description() async {
        let error = await service(.status(400, body: #"{"error":"invalid_grant","token":"s3cret"}"#))
            .GET("/stores").finalError
        let text = error.map { "\($0)" } ?? ""
        #expect(
            text.hasPrefix("authentication: unacceptableStatus (POST http://service.test/token)"), "\(text)")
        #expect(
            text.contains("invalid_grant") && text.contains("(GET http://service.test/stores)"), "\(text)")
        #expect(!text.contains("s3cret"))
    }

    @Test(
        "An error that a token refresh throws is the underlying error, and decides the message and isRetryable"
    )
    func causes() async {
        let signIn = "You could not be signed in."
        let errors: [(any Error & Sendable, message: String, isRetryable: Bool)] = [
            (AppError(), signIn, false),
            (Localized(), "The session has ended.", false),
            (URLError(.notConnectedToInternet), "There is no connection to the internet.", true),
            (ServiceError(.timedOut), "The server took too long to respond.", true),
            (ServiceError(.undecodable), signIn, false),
            (ServiceError(.unacceptableStatus, userMessage: "Call us."), "Call us.", false),
            (ServiceError(.thrown, underlying: Localized()), "The session has ended.", false),
        ]
        for (thrown, message, isRetryable) in errors {
            let error = await failure(thrownByRefresh: thrown)
            #expect(error?.reason == .authentication, "\(thrown)")
            #expect(error?.underlying.map { type(of: $0) == type(of: thrown) } == true)
            #expect(error?.userMessage == message)
            #expect(error?.isRetryable == isRetryable, "\(thrown)")
        }
    }

    @Test("A token refresh that is cancelled cancels the requests that wait for it")
    func cancellation() async {
        let errors: [any Error & Sendable] = [
            CancellationError(), ServiceError(.cancelled), URLError(.cancelled),
        ]
        for thrown in errors {
            let error = await failure(thrownByRefresh: thrown)
            #expect(error?.isCancelled == true)
            #expect(error?.request?.urlString == "http://service.test/data")
        }
    }

    @Test("A failed token refresh inside another service's token refresh is the underlying error")
    func nested() async {
        let inner = service(.status(403))
        let source = ScriptedDataSource(.status(200))
        let outer = WebService.scripted(source) {
            $0.authenticator = TokenAuthenticator { _ in .init(try await inner.GET("/key").text) }
        }
        let error = await outer.GET("/data").finalError
        #expect(error?.reason == .authentication && error?.request?.urlString == "http://service.test/data")
        let cause = error?.underlying as? ServiceError
        #expect(cause?.reason == .authentication && cause?.request?.urlString == "http://service.test/key")
        #expect((cause?.underlying as? ServiceError)?.statusCode == 403)
    }

    @Test(
        "If an app's own authenticator throws, its requests fail in the same way", arguments: [true, false])
    func own(isRefresh: Bool) async {
        struct Own: Authenticator {
            let isRefresh: Bool

            func authorize(_ request: inout URLRequest) throws {
                if !isRefresh { throw ServiceError(.noOutput) }
            }

            func refresh(after response: HTTPURLResponse, to request: URLRequest) throws {
                throw ServiceError(.noOutput)
            }
        }
        let service = WebService.scripted(ScriptedDataSource(.status(401))) {
            $0.authenticator = Own(isRefresh: isRefresh)
        }
        let error = await service.GET("/data").finalError
        #expect(error?.reason == .authentication && error?.request?.urlString == "http://service.test/data")
        #expect((error?.underlying as? ServiceError)?.reason == .noOutput)
    }

    @Test("If a token refresh fails without a network, stale stored responses are served")
    func stale() async throws {
        let source = ScriptedDataSource(.status(200, ["Cache-Control": "max-age=60"], body: "[1]"))
        let (clock, cache) = (ManualClock(), MemoryCache())
        let isOffline = Lock(false)
        let service = WebService.scripted(source, clock) {
            $0.authenticator = TokenAuthenticator(identity: "ann") { _ in
                if isOffline.withLock({ $0 }) { throw URLError(.notConnectedToInternet) }
                return .init("a", expiresIn: .seconds(60))
            }
            $0.pipeline[.rawData].cacheUsing(cache)
            $0.cachePolicy = .standard
        }
        #expect(try await service.GET("/").json == [1])
        isOffline.withLock { $0 = true }
        clock.advance(by: .seconds(600))
        #expect(try await service.GET("/").json == [1])
        #expect(source.requests.values.count == 1)
    }
}
