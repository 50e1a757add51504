import Foundation

final class DigestCredentials: CredentialSource {
    let identity: String?
    let cacheField: String?

    private let user: String
    private let password: String
    private let makeClientNonce: @Sendable () -> String
    private let state = Lock(State())

    private struct State: Sendable {
        var challenge: DigestChallenge?
        var session = DigestChallenge.Session(nonce: "", count: 0, clientNonce: "")
        var number = 0
    }

    init(
        _ user: String, _ password: String, identity: String? = nil,
        clientNonce: @escaping @Sendable () -> String = {
            SHA256.hexadecimal((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        }
    ) {
        self.identity = identity
        cacheField = "Identity \(SHA256.hexDigest(of: identity ?? UUID().uuidString))"
        self.user = user
        self.password = password
        makeClientNonce = clientNonce
    }

    func authorizeNow(_ request: inout URLRequest, _ clock: any ServiceClock) throws -> Int? {
        if let problem = ServiceError(controlCharacterIn: user, password) { throw problem }
        let clientNonce = makeClientNonce()
        let state = state.withLock { state in
            state.session.count += 1
            if state.challenge?.isSession == false { state.session.clientNonce = clientNonce }
            return state
        }
        guard let challenge = state.challenge, let url = request.url else {
            request.authorize(by: nil)
            return 0
        }
        let answer = challenge.answer(
            user: user, password: password, method: request.httpMethod ?? "GET", target: url.requestTarget,
            in: state.session)
        request.authorize(by: answer)
        return state.number
    }

    /// The closure that computes a redirected request's digest, because a digest is valid for one URL (RFC 7616 §3.4).
    var authorizeRedirect: (@Sendable (inout URLRequest) -> Void)? {
        { request in
            guard request.authorization?.hasPrefix("Digest ") == true else { return }
            _ = try? self.authorizeNow(&request, .system)
        }
    }

    func decision(
        on response: HTTPURLResponse, to request: URLRequest, _ use: CredentialUse
    ) -> CredentialDecision {
        guard response.isFromOrigin(of: request) else { return .accepted }
        if response.statusCode != 401 {
            if let nonce = DigestChallenge.nextNonce(response) { replaceNonce(by: nonce, after: use.number) }
            return .accepted
        }
        guard let challenge = DigestChallenge(response) else { return .accepted }
        let clientNonce = makeClientNonce()
        return state.withLock { state in
            if state.session.nonce == challenge.nonce, state.challenge != nil {
                return use.number != state.number || challenge.isStale ? .rejected : .accepted
            }
            state.challenge = challenge
            state.session = .init(nonce: challenge.nonce, count: 0, clientNonce: clientNonce)
            state.number += 1
            // `stale` means that the password was right, and only the nonce was too old.
            return challenge.isStale ? .again : .rejected
        }
    }

    func problem(with rejection: HTTPURLResponse) -> String? {
        guard rejection.statusCode == 401, DigestChallenge(rejection) == nil,
            DigestChallenge.wantsIntegrity(rejection)
        else { return nil }
        return "the server requires Digest with qop=auth-int, which this authenticator doesn't support"
    }

    private func replaceNonce(by nonce: String, after credential: Int) {
        state.withLock { state in
            guard credential == state.number, state.challenge != nil else { return }
            state.number += 1
            (state.session.nonce, state.session.count) = (nonce, 0)
        }
    }
}
