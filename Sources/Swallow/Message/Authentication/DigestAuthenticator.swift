import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Proves that a password is known, without sending it (RFC 7616): by SHA-256 or, where the server knows no better, MD5,
/// with the quality of protection `auth`.
///
/// The first request goes out bare, and is sent once more with an answer to the server's challenge. Those that follow answer
/// it at once, with a count that grows, until the server makes another. A password that is refused is the response that it
/// is.
///
/// Prefer ``BasicAuthenticator`` over TLS where you can choose: this one is for servers that ask for it.
public final class DigestAuthenticator: Authenticator, ReadyAuthenticator {
    /// What caches know responses by; nil unless it was given.
    public let identity: String?

    let cacheField: String?

    private let user: String
    private let password: String
    private let makeClientNonce: @Sendable () -> String
    private let state = Lock(State())

    private struct State: Sendable {
        var challenge: DigestChallenge?
        /// How many challenges there were: the number of this one.
        var number = 0
        /// How often it was answered.
        var count = 0
    }

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - user: the name.
    ///   - password: never sent.
    ///   - identity: what caches know the responses by. Without it they know them by this object: the credential changes with
    ///     each request.
    public convenience init(_ user: String, _ password: String, identity: String? = nil) {
        self.init(user, password, identity: identity) {
            let bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
            return SHA256.hexadecimal(bytes)
        }
    }

    init(
        _ user: String, _ password: String, identity: String? = nil,
        clientNonce: @escaping @Sendable () -> String
    ) {
        self.identity = identity
        cacheField = "Identity \(SHA256.hexDigest(of: identity ?? UUID().uuidString))"
        self.user = user
        self.password = password
        makeClientNonce = clientNonce
    }

    /// Sets `Authorization`, where the server has made a challenge.
    public func authorize(_ request: inout URLRequest) throws {
        _ = try authorizeNow(&request)
    }

    /// Whether the response is a 401 with a challenge that can be answered.
    public func isRefusal(_ response: HTTPURLResponse, of request: URLRequest) -> Bool {
        response.statusCode == 401 && DigestChallenge(response) != nil
    }

    /// Takes the response's challenge.
    public func renew(after response: HTTPURLResponse, to request: URLRequest) {
        _ = refuses(response, to: request, credential: 0)
    }

    func authorizeNow(_ request: inout URLRequest) throws -> Int {
        if let problem = ServiceError(controlCharacterIn: user, password) { throw problem }
        let state = state.withLock { state in
            state.count += 1
            return state
        }
        guard let challenge = state.challenge, let url = request.url else {
            request.authorize(by: nil)
            return 0
        }
        let answer = challenge.answer(
            user: user, password: password, method: request.httpMethod ?? "GET", target: url.requestTarget,
            count: state.count, clientNonce: makeClientNonce())
        request.authorize(by: answer)
        return state.number
    }

    /// An answer is for one URL (RFC 7616 §3.4).
    var authorizeRedirect: (@Sendable (inout URLRequest) -> Void)? {
        { request in
            guard request.authorization?.hasPrefix("Digest ") == true else { return }
            _ = try? self.authorizeNow(&request)
        }
    }

    /// Takes a challenge that is new. The same one again, to who has answered it, says that the password is wrong.
    func refuses(_ response: HTTPURLResponse, to request: URLRequest, credential: Int) -> Bool {
        guard response.statusCode == 401, response.isFromOrigin(of: request),
            let challenge = DigestChallenge(response)
        else { return false }
        return state.withLock { state in
            if state.challenge?.nonce == challenge.nonce {
                return credential != state.number || challenge.isStale
            }
            state = State(challenge: challenge, number: state.number + 1)
            return true
        }
    }
}

extension Authenticator where Self == DigestAuthenticator {
    /// Proves that a password is known, without sending it (RFC 7616).
    ///
    /// - Parameters:
    ///   - user: the name.
    ///   - password: never sent.
    ///   - identity: what caches know the responses by; nil by default.
    public static func digest(_ user: String, _ password: String, identity: String? = nil)
        -> DigestAuthenticator
    {
        DigestAuthenticator(user, password, identity: identity)
    }
}
