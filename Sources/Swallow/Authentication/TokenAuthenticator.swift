import Foundation

/// An authenticator that sends a bearer token with each request (RFC 6750). A closure makes the token.
///
/// ```swift
/// let authenticator = TokenAuthenticator(identity: user.id, token: stored) { [service] _ in
///     let answer = service.POST("/token", parameters: ["refresh": user.refreshToken])
///     let grant = try await answer.json
///     let lifetime = grant["ttl"].int ?? 60
///     return .init(try grant["token"].decode(), expiresIn: .seconds(lifetime))
/// }
/// service.configure { $0.authenticator = authenticator }
/// ```
///
/// The closure runs if a request needs a token and there is none, if the token is about to expire, or if the server
/// rejects it with a 401. All requests that wait for a token share one run. Rejected requests are then sent again if
/// their bodies can be sent again.
///
/// If the closure throws, all waiting tasks fail with reason ``ServiceError/Reason/authentication`` and usually that
/// error as ``ServiceError/underlying``, or with `.cancelled` if it is a cancellation. The next request runs the
/// closure again. Cancelling a waiting task affects neither the closure nor other tasks. Not every 401 invalidates the
/// token (see ``Authenticator/refresh(after:to:)``). The closure may use the same service. Its requests have no token.
public final class TokenAuthenticator: Authenticator {
    /// A bearer token, and its expiry date if it is known.
    public struct Token: Sendable, Hashable {
        /// The text after `Bearer` in `Authorization`.
        public let value: String
        /// The expiry date, or `nil` if it isn't known.
        public private(set) var expires: Date?
        private var lifetime: Duration?
        private let isLegal: Bool

        /// Creates a token that is valid until a date. Without a date, it is valid until the server rejects it.
        public init(_ value: String, expires: Date? = nil) {
            self.value = value
            self.expires = expires
            isLegal = HTTPSyntax.isFieldValue(value)
        }

        /// Creates a token that is valid for a duration, such as OAuth's `expires_in` (RFC 6749 §5.1).
        public init(_ value: String, expiresIn lifetime: Duration) {
            self.value = value
            self.lifetime = lifetime
            isLegal = HTTPSyntax.isFieldValue(value)
        }

        fileprivate func field() throws(ServiceError) -> String {
            if isLegal { return "Bearer \(value)" }
            throw .invalidRequest("the token can't be sent because it contains a line break")
        }

        fileprivate func received(at now: Date) -> Token? {
            if value.isEmpty { return nil }
            guard let lifetime else { return self }
            return Token(value, expires: now.addingTimeInterval(lifetime.seconds))
        }

        /// Returns whether the token doesn't expire soon. A lifetime begins at its first use.
        fileprivate mutating func isValid(at now: Date, margin: Duration) -> Bool {
            if lifetime != nil { self = received(at: now) ?? self }
            guard let expires else { return true }
            return now.addingTimeInterval(margin.seconds) < expires
        }
    }

    /// The token's owner. Caches store responses under it.
    public let identity: String?

    private let margin: Duration
    private let tokenRefresh: TokenRefresh<Token>

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - identity: The token's owner, for example a user's id. Caches store responses under it. If it is `nil`, the
    ///     default, they store responses under the token.
    ///   - token: The first token, for example from an earlier run. An empty token is ignored. Tasks fail with
    ///     `.invalidRequest` if a token has a line break or a null character, or if `refresh` returns an empty token.
    ///   - margin: The time before its expiry at which a token is replaced. The default is 10 seconds.
    ///   - refresh: Makes a token. Receives the rejected or expiring token, or `nil` if there was none.
    public init(
        identity: String? = nil, token: Token? = nil, margin: Duration = .seconds(10),
        refresh: @escaping @Sendable (_ rejected: Token?) async throws -> Token
    ) {
        self.identity = identity
        self.margin = margin
        tokenRefresh = TokenRefresh(token.flatMap { $0.value.isEmpty ? nil : $0 }) { rejected, clock in
            let token: Token
            do { token = try await refresh(rejected) } catch { throw ServiceError(authenticating: error) }
            _ = try token.field()
            guard let received = token.received(at: clock.now) else {
                throw ServiceError.invalidRequest("the new token is empty")
            }
            return received
        }
    }

    /// The current token. The app can store it. After a sign-in, set the new token, which the waiting tasks then use.
    /// At a sign-out, set `nil` or an empty token. Setting the token cancels a running closure. If tasks still wait for
    /// a token at a sign-out, the closure runs again.
    public var token: Token? {
        get { tokenRefresh.current.flatMap { $0.received(at: tokenRefresh.now ?? Date()) } }
        set {
            // If no clock is known yet, the token's lifetime begins at its first use.
            tokenRefresh.replace(
                with: newValue.flatMap { token in
                    tokenRefresh.now.map { token.received(at: $0) } ?? (token.value.isEmpty ? nil : token)
                })
        }
    }

    /// Sets `Authorization`. Waits for a new token if there is no valid one.
    public func authorize(_ request: inout URLRequest) async throws {
        let now = Date()
        let token = try await tokenRefresh.value(.system) { [margin] in $0.isValid(at: now, margin: margin) }
        request.authorize(by: try token.credential.field())
    }

    /// Marks the current token as rejected, so that the next request refreshes it.
    public func refresh(after response: HTTPURLResponse, to request: URLRequest) {
        tokenRefresh.rejectCurrent()
    }
}

extension TokenAuthenticator: CredentialSource {
    var isWorkingHere: Bool { tokenRefresh.isWorkingHere }

    func authorizeNow(_ request: inout URLRequest, _ clock: any ServiceClock) throws -> Int? {
        let now = clock.now
        guard let token = tokenRefresh.use(if: { $0.isValid(at: now, margin: margin) }) else { return nil }
        request.authorize(by: try token.credential.field())
        return token.number
    }

    func authorized(
        _ request: URLRequest, _ clock: any ServiceClock, _ caller: Caller?,
        _ completion: @escaping @Sendable (Result<AuthorizedRequest, any Error>) -> Void
    ) -> ScheduledWork {
        let now = clock.now
        return tokenRefresh.get(clock, isValid: { $0.isValid(at: now, margin: margin) }) { result in
            completion(
                Result {
                    let token = try result.get()
                    let authorized = request.authorized(by: try token.credential.field())
                    return AuthorizedRequest(request: authorized, credential: token.number)
                })
        }
    }

    var acceptsEverySuccess: Bool { true }

    func decision(
        on response: HTTPURLResponse, to request: URLRequest, _ use: CredentialUse
    ) -> CredentialDecision {
        guard response.isFromOrigin(of: request) else { return .accepted }
        guard isRejection(response, of: request) else {
            // A gateway may respond with an error without checking the token.
            if response.statusCode < 500 { accept(use) }
            return .accepted
        }
        return tokenRefresh.reject(use) == .final ? .accepted : .again
    }

    func accept(_ use: CredentialUse) { tokenRefresh.accept(use) }
}

extension TokenAuthenticator.Token: CustomStringConvertible, CustomReflectable {
    /// A text with the expiry date, if it is known, but without the secret token.
    public var description: String {
        "Token(\(LogRedaction.placeholder)\(expires.map { ", expires \($0)" } ?? ""))"
    }

    /// An empty mirror, so that `dump` doesn't show the secret token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
