import Foundation
import TestSupport
import Testing

@testable import Swallow

@Suite("The state of a token refresh")
struct TokenRefreshTests {
    private let told = Recorder<String>()

    /// Requests a credential and returns the decision as text.
    private func join(_ state: inout TokenRefreshState<String>, _ id: Int, isValid: Bool = true) -> String {
        let decision = state.join(id, isValid: { _ in isValid }) { [told] result in
            let text = (try? result.get()).map { "\($0.credential) #\($0.number)" } ?? "failure"
            told.append("\(id): \(text)")
        }
        return switch decision {
        case .use(let credential): "use \(credential.credential) #\(credential.number)"
        case .wait: "wait"
        case .make(let replaced, let refresh): "make \(refresh) for \(replaced ?? "none")"
        }
    }

    private func end(
        _ state: inout TokenRefreshState<String>, _ refresh: Int, _ result: Result<String, any Error>
    ) -> Bool {
        guard let (waiters, outcome) = state.end(refresh, result) else { return false }
        for waiter in waiters { waiter(outcome) }
        return true
    }

    @Test("The first request starts a refresh, and waiting requests receive the credential in arrival order")
    func once() {
        var state = TokenRefreshState<String>(nil)
        #expect(join(&state, 1) == "make 1 for none")
        #expect(join(&state, 2) == "wait")
        #expect(join(&state, 3) == "wait")
        #expect(state.leave(2) != nil)
        #expect(state.leave(2) == nil)
        #expect(end(&state, 1, .success("a")))
        #expect(told.values == ["1: a #1", "3: a #1"])
        #expect(join(&state, 4) == "use a #2")
    }

    private func reject(
        _ state: inout TokenRefreshState<String>, _ use: Int, _ path: String = "a"
    ) throws -> CredentialRejections.Decision {
        state.reject(CredentialUse(number: use, request: try sampleRequest("http://service.test/\(path)")))
    }

    @Test("A rejection counts once, and only for the current credential")
    func rejection() throws {
        var state = TokenRefreshState<String>("a")
        #expect(join(&state, 1) == "use a #2")
        #expect(join(&state, 2) == "use a #3")
        #expect(try reject(&state, 2) == .rejected)
        #expect(try reject(&state, 3) == .again)
        #expect(state.use() == nil && state.current == "a")
        #expect(join(&state, 3) == "make 1 for a")
        // A refresh is running, and then it completes.
        #expect(try reject(&state, 2) == .again)
        #expect(end(&state, 1, .success("b")))
        #expect(told.values == ["3: b #4"])
        #expect(try reject(&state, 3) == .again)
        #expect(join(&state, 4) == "use b #5")
    }

    @Test("A credential that is rejected during a refresh for another reason is replaced by that refresh")
    func rejectionDuringRefresh() throws {
        var state = TokenRefreshState<String>("a")
        #expect(join(&state, 1) == "use a #2")
        #expect(join(&state, 2, isValid: false) == "make 1 for a")
        #expect(try reject(&state, 2) == .again)
        #expect(join(&state, 3) == "wait")
        #expect(end(&state, 1, .failure(AppError())))
        #expect(join(&state, 4) == "make 2 for a")
    }

    @Test("An expired credential is refreshed without a rejection")
    func expiry() {
        var state = TokenRefreshState<String>("a")
        #expect(join(&state, 1, isValid: false) == "make 1 for a")
        #expect(end(&state, 1, .success("b")))
        #expect(told.values == ["1: b #2"])
    }

    @Test("All waiting requests receive the failure of a refresh, and the next request refreshes again")
    func failure() {
        var state = TokenRefreshState<String>("a")
        state.rejectCurrent()
        _ = join(&state, 1)
        _ = join(&state, 2)
        #expect(end(&state, 1, .failure(AppError())))
        #expect(told.values == ["1: failure", "2: failure"])
        #expect(join(&state, 3) == "make 2 for a")
    }

    @Test("All waiting requests receive a credential that the app sets, and the running refresh is ignored")
    func replaced() {
        var state = TokenRefreshState<String>(nil)
        _ = join(&state, 1)
        let (waiters, credential, flight) = state.replace(with: "b")
        #expect(waiters.count == 1 && credential?.credential == "b" && flight == nil)
        #expect(!end(&state, 1, .success("a")))
        #expect(state.use()?.credential == "b")
    }

    @Test("A credential that the app removes is refreshed only if requests wait for it")
    func removed() {
        var state = TokenRefreshState<String>("a")
        #expect(state.replace(with: nil).refresh == nil)
        #expect(join(&state, 1) == "make 1 for none")
        #expect(state.replace(with: nil).refresh == 2)
        #expect(!end(&state, 1, .success("old")))
        #expect(told.values == [])
        #expect(end(&state, 2, .success("new")))
        #expect(told.values == ["1: new #4"])
    }
}
