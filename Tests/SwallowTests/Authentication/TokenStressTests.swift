import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Bearer tokens under stress")
struct TokenStressTests {
    /// A server that accepts only its latest token, and responds on its own threads.
    private final class Issuer: SessionDataTaskDataSource {
        private struct State: Sendable {
            var number = 0
            var sent: [String: Int] = [:]
        }

        private let state = Lock(State())

        /// The number of requests for each path.
        var sent: [String: Int] { state.withLock { $0.sent } }

        func issue() -> String {
            state.withLock { state in
                state.number += 1
                return "\(state.number)"
            }
        }

        func expire() { state.withLock { $0.number += 1 } }

        func dataTask(
            with request: URLRequest,
            completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
        ) -> any DataTask {
            ManualExchange(
                request: request,
                answersInResume: { exchange in
                    let isGood = self.state.withLock { state in
                        state.sent[request.url?.path ?? "", default: 0] += 1
                        return request.value(forHTTPHeaderField: "Authorization") == "Bearer \(state.number)"
                    }
                    DispatchQueue.utility.async { exchange.answer(status: isGood ? 200 : 401) }
                }, completion: completion)
        }
    }

    @Test(
        "If refreshes, cancels, sign-outs and expiries race, every task completes after a few attempts")
    func race() async {
        let issuer = Issuer()
        let clock = ManualClock()
        let authenticator = TokenAuthenticator(token: .init("none")) { _ in
            await Task.yield()
            return .init(issuer.issue(), expiresIn: .seconds(11))
        }
        let service = WebService.scripted(issuer, clock) { $0.authenticator = authenticator }
        let rounds = Sanitizer.rounds(2000, sanitized: 300)
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<4 {
                group.addTask {
                    for round in 0..<rounds / 4 {
                        let task = service.GET("/\(lane)-\(round)")
                        switch (lane + round) % 5 {
                        case 0: task.cancel()
                        case 1 where round % 25 == 1: authenticator.token = nil
                        case 2 where round % 25 == 2: issuer.expire()
                        case 3 where round % 25 == 3: clock.advance(by: .seconds(2))
                        default: break
                        }
                        let error = await task.finalError
                        if let error { #expect(error.isCancelled || error.statusCode == 401) }
                    }
                }
            }
        }
        #expect(issuer.sent.values.allSatisfy { $0 <= Attempt.credentialRejectionLimit + 1 })
    }

    @Test("All waiting tasks complete if refreshes, cancels and new tokens race")
    func waits() async throws {
        for _ in 0..<Sanitizer.rounds(200, sanitized: 50) {
            let door = Door()
            let authenticator = TokenAuthenticator { _ in
                await door.pass()
                return .init("a")
            }
            let source = ScriptedDataSource(.status(200))
            let service = WebService.scripted(source) { $0.authenticator = authenticator }
            let tasks = (0..<8).map { _ in service.GET("/") }
            await door.arrivals()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { door.open() }
                group.addTask { for task in tasks[..<4] { task.cancel() } }
                group.addTask { authenticator.token = .init("b") }
            }
            for task in tasks[..<4] { _ = await task.result }
            for task in tasks[4...] { #expect(try await task.json == [:]) }
        }
    }
}
