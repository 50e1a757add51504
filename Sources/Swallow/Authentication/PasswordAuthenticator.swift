import Foundation

/// Authorizes requests with a name and a password. Create it with `.basic` or `.digest`.
///
/// ```swift
/// service.configure { $0.authenticator = .basic("ann", password) }
/// ```
public struct PasswordAuthenticator: Authenticator {
    let credentials: any CredentialSource

    /// The identity that `.digest` received. Always `nil` for `.basic`.
    public var identity: String? { credentials.identity }

    /// Sets `Authorization`. For `.digest`, the field is set only after the server has sent a challenge.
    public func authorize(_ request: inout URLRequest) throws {
        _ = try credentials.authorizeNow(&request, .system)
    }

    /// Returns whether the response is a 401 with a challenge that `.digest` supports. Always `false` for `.basic`.
    public func isRejection(_ response: HTTPURLResponse, of request: URLRequest) -> Bool {
        credentials is DigestCredentials && response.statusCode == 401 && DigestChallenge(response) != nil
    }

    /// For `.digest`, stores the response's challenge.
    public func refresh(after response: HTTPURLResponse, to request: URLRequest) {
        _ = credentials.decision(on: response, to: request, CredentialUse(number: 0, request: request))
    }
}

extension Authenticator where Self == PasswordAuthenticator {
    /// Sends a name and a password with each request (RFC 7617), as UTF-8.
    ///
    /// If the server rejects them, its response is the task's response. If the name has a colon, or if the name or the
    /// password has a control character, tasks fail with `.invalidRequest` (§2).
    public static func basic(_ user: String, _ password: String) -> PasswordAuthenticator {
        PasswordAuthenticator(credentials: BasicCredentials(user, password))
    }

    /// Proves knowledge of a password without sending it (RFC 7616).
    ///
    /// The authenticator supports SHA-512/256, SHA-256 and MD5, each also for a session (`-sess`), with the quality of
    /// protection `auth`. It uses the strongest algorithm that the server offers. If a server requires `auth-int`,
    /// tasks fail with `.unacceptableStatus`, and the error names the reason.
    ///
    /// The first request is sent twice, because it needs a challenge. Later requests respond to that challenge
    /// immediately, until the server sends another one. If the server rejects the password, its response is the task's
    /// response. If you can choose, prefer `.basic` with an `https` URL.
    ///
    /// - Parameters:
    ///   - user: The name.
    ///   - password: The password, which is never sent.
    ///   - identity: The identity under which caches store the responses. If it is `nil`, the default, they use a
    ///     random identity of this authenticator, because the credential changes with each request.
    public static func digest(
        _ user: String, _ password: String, identity: String? = nil
    ) -> PasswordAuthenticator {
        PasswordAuthenticator(credentials: DigestCredentials(user, password, identity: identity))
    }
}
