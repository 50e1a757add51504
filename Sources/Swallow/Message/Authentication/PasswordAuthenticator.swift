import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Authorizes requests by a name and a password: `.basic` or `.digest`.
///
/// ```swift
/// service.configure { $0.authenticator = .basic("ann", password) }
/// ```
public struct PasswordAuthenticator: Authenticator {
    let credentials: any CredentialSource

    /// What caches know responses by. Nil for `.basic`: they know them by the credential.
    public var identity: String? { credentials.identity }

    /// Sets `Authorization`; for `.digest`, where the server has made a challenge.
    public func authorize(_ request: inout URLRequest) throws {
        _ = try credentials.authorizeNow(&request, .system)
    }

    /// Whether the response is a 401 with a challenge that `.digest` can answer; false for `.basic`, which has no other
    /// credential.
    public func isRefusal(_ response: HTTPURLResponse, of request: URLRequest) -> Bool {
        credentials is DigestCredentials && response.statusCode == 401 && DigestChallenge(response) != nil
    }

    /// Takes the response's challenge.
    public func renew(after response: HTTPURLResponse, to request: URLRequest) {
        _ = credentials.verdict(on: response, to: request, CredentialUse(number: 0, request: request))
    }
}

extension Authenticator where Self == PasswordAuthenticator {
    /// Sends a name and a password with each request (RFC 7617), as UTF-8. A refusal is the response that it is. A name with a
    /// colon, or either with a control character, ends tasks with `.invalidRequest` (§2).
    public static func basic(_ user: String, _ password: String) -> PasswordAuthenticator {
        PasswordAuthenticator(credentials: BasicCredentials(user, password))
    }

    /// Proves that a password is known, without sending it (RFC 7616): by SHA-512/256, SHA-256 or, where the server knows no
    /// better, MD5, each also for a session (`-sess`), with the quality of protection `auth`. A server that insists on `auth-int`
    /// ends tasks with `.unacceptableStatus`, and the error says why.
    ///
    /// The first request goes out bare, and is sent once more with an answer to the server's challenge. Those that follow answer
    /// it at once, with a count that grows, until the server makes another or names the next nonce. A password that is refused is
    /// the response that it is.
    ///
    /// Prefer `.basic` over TLS where you can choose: this one is for servers that ask for it.
    ///
    /// - Parameters:
    ///   - user: the name.
    ///   - password: never sent.
    ///   - identity: what caches know the responses by. Without it they know them by this object: the credential changes with
    ///     each request.
    public static func digest(
        _ user: String, _ password: String, identity: String? = nil
    ) -> PasswordAuthenticator {
        PasswordAuthenticator(credentials: DigestCredentials(user, password, identity: identity))
    }
}
