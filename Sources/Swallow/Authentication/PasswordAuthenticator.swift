import Foundation

/// An authenticator that uses a name and a password. Create it with `.basic` or `.digest`.
///
/// ```swift
/// service.configure { $0.authenticator = .basic("ann", password) }
/// ```
public struct PasswordAuthenticator: Authenticator {
    let credentials: any CredentialSource

    /// The identity that was passed to `.digest`. Always `nil` for `.basic`.
    public var identity: String? { credentials.identity }

    /// Sets `Authorization`. A `.digest` authenticator can do this only after the server has sent a challenge.
    public func authorize(_ request: inout URLRequest) throws {
        _ = try credentials.authorizeNow(&request, .system)
    }

    /// Returns whether the response is a 401 with a challenge that `.digest` supports. Always `false` for `.basic`.
    public func isRejection(_ response: HTTPURLResponse, of request: URLRequest) -> Bool {
        credentials is DigestCredentials && response.statusCode == 401 && DigestChallenge(response) != nil
    }

    /// Stores the response's challenge for `.digest`. Does nothing for `.basic`.
    public func refresh(after response: HTTPURLResponse, to request: URLRequest) {
        _ = credentials.decision(on: response, to: request, CredentialUse(number: 0, request: request))
    }
}

extension Authenticator where Self == PasswordAuthenticator {
    /// Returns an authenticator that sends a name and a password in UTF-8 with each request (RFC 7617). If the server
    /// rejects them, the task receives the response. Tasks fail with `.invalidRequest` if the name has a colon, or if
    /// the name or the password has a control character (§2).
    public static func basic(_ user: String, _ password: String) -> PasswordAuthenticator {
        PasswordAuthenticator(credentials: BasicCredentials(user, password))
    }

    /// Returns an authenticator that proves knowledge of a password without sending it (RFC 7616).
    ///
    /// It uses the strongest algorithm that the server offers of SHA-512/256, SHA-256 and MD5, also with `-sess`. If
    /// the server requires `auth-int`, tasks fail with `.unacceptableStatus`, and the error states the reason. The
    /// request that receives the first challenge is sent again, unless its body can be sent only once. Later requests
    /// reply to the latest challenge. If the server rejects the password, the task receives that response. Over
    /// `https`, prefer `.basic`.
    ///
    /// - Parameters:
    ///   - user: The user's name.
    ///   - password: The password, which is never sent.
    ///   - identity: The identity under which caches store responses. If it is `nil`, the default, they use a random
    ///     identity of this authenticator, because each request has another digest.
    public static func digest(
        _ user: String, _ password: String, identity: String? = nil
    ) -> PasswordAuthenticator {
        PasswordAuthenticator(credentials: DigestCredentials(user, password, identity: identity))
    }
}

/// Sends a name and a password in UTF-8 with each request (RFC 7617), even after the server has rejected them.
final class BasicCredentials: CredentialSource {
    var identity: String? { nil }

    private let field: String
    private let problem: ServiceError?

    init(_ user: String, _ password: String) {
        problem =
            user.utf8.contains(UInt8(ascii: ":"))
            ? .invalidRequest("the user name contains a colon")
            : ServiceError(controlCharacterIn: user, password)
        field = "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
    }

    func authorizeNow(_ request: inout URLRequest, _ clock: any ServiceClock) throws -> Int? {
        if let problem { throw problem }
        request.authorize(by: field)
        return 0
    }

    var acceptsEverySuccess: Bool { true }

    func decision(
        on response: HTTPURLResponse, to request: URLRequest, _ use: CredentialUse
    ) -> CredentialDecision { .accepted }
}

extension ServiceError {
    /// Creates the error for a control character in one of the texts (RFC 7617 §2), or returns `nil` if there is none.
    init?(controlCharacterIn texts: String...) {
        let hasOne = texts.contains { $0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }
        guard hasOne else { return nil }
        self.init(.invalidRequest, detail: "the user name or the password contains a control character")
    }
}
