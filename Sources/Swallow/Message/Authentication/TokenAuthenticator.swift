import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends a bearer token, which a closure makes, with each request (RFC 6750).
///
/// ```swift
/// let authenticator = TokenAuthenticator(identity: user.id, token: stored) { [service] refused in
///     let answer = service.POST("/token", parameters: ["refresh": user.refreshToken])
///     let grant = try await answer.json
///     let lifetime = grant["ttl"].int ?? 60
///     return .init(try grant["token"].decode(), expiresIn: .seconds(lifetime))
/// }
/// service.configure { $0.authenticator = authenticator }
/// ```
///
/// The closure runs if a request needs a token and there is none, if the token is about to expire, and if the server rejects
/// the token with a 401. All waiting requests of all services that share this object share one run. Each rejected request is
/// then sent again. If the closure throws, all waiting tasks fail with reason ``ServiceError/Reason/authentication`` and that
/// error as ``ServiceError/underlying``, and the next request runs the closure again. If it throws a `CancellationError` or the
/// error of a cancelled request, all waiting tasks are cancelled. Cancelling a waiting task ends that task only.
///
/// An endpoint (method and path) that also rejects the token that was made because of it causes no further token refresh until
/// it accepts a token. The 401 is then the task's response, unless there is a newer token by that time. A 401 to a request that
/// was sent before an accepted request with the same token causes no token refresh at first. The request is sent once more with
/// that token, and only a second 401 causes a token refresh. Any other status below 500 accepts the token.
///
/// The closure may use the same service: requests that it makes, in its Swift task and the tasks of it, go out without a token.
public final class TokenAuthenticator: Authenticator {
    /// A bearer token, and until when it can be used.
    public struct Token: Sendable, Hashable {
        /// What follows `Bearer` in `Authorization`.
        public let value: String
        /// When it expires; nil where that isn't known.
        public private(set) var expires: Date?
        /// How long it can be used, counted from its arrival.
        private var lifetime: Duration?
        /// Whether it can be sent in a header field.
        private let isLegal: Bool

        /// Makes a token that can be used until a date, or until it is refused.
        public init(_ value: String, expires: Date? = nil) {
            self.value = value
            self.expires = expires
            isLegal = HTTPSyntax.isFieldValue(value)
        }

        /// Makes a token that can be used for a time, such as OAuth's `expires_in` (RFC 6749 §5.1).
        public init(_ value: String, expiresIn lifetime: Duration) {
            self.value = value
            self.lifetime = lifetime
            isLegal = HTTPSyntax.isFieldValue(value)
        }

        /// The value of `Authorization`.
        fileprivate func field() throws(ServiceError) -> String {
            if isLegal { return "Bearer \(value)" }
            throw ServiceError(.invalidRequest, detail: "the token can't be sent: it has a line break")
        }

        /// The token with the date that its time ends on; nil for an empty one.
        fileprivate func received(at now: Date) -> Token? {
            if value.isEmpty { return nil }
            guard let lifetime else { return self }
            return Token(value, expires: now.addingTimeInterval(lifetime.seconds))
        }

        /// Counts its time from now on, if it hasn't begun.
        fileprivate mutating func begin(at now: Date) {
            if lifetime != nil { self = received(at: now) ?? self }
        }

        fileprivate func isValid(_ now: Date, margin: Duration) -> Bool {
            guard let expires else { return true }
            return now.addingTimeInterval(margin.seconds) < expires
        }
    }

    /// Whose token it is.
    public let identity: String?

    private let margin: Duration
    private let renewal: Renewal<Token>

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - identity: whose token it is: a user's id, say. Caches keep responses under it; with nil, the default, they
    ///     keep them under the token.
    ///   - token: a token of an earlier run, say; an empty one counts as none. A token that can't be sent ends its
    ///     tasks with `.invalidRequest`, and so does one that `renew` makes.
    ///   - margin: how long before its expiry a token isn't used any more; 10 s by default.
    ///   - renew: makes a token; gets the one that was refused or has expired, nil where there was none.
    public init(
        identity: String? = nil, token: Token? = nil, margin: Duration = .seconds(10),
        renew: @escaping @Sendable (_ refused: Token?) async throws -> Token
    ) {
        self.identity = identity
        self.margin = margin
        renewal = Renewal(token.flatMap { $0.value.isEmpty ? nil : $0 }) { refused, clock in
            let token: Token
            do { token = try await renew(refused) } catch { throw ServiceError(authenticating: error) }
            _ = try token.field()
            guard let received = token.received(at: clock.now) else {
                throw ServiceError(.invalidRequest, detail: "the new token is empty")
            }
            return received
        }
    }

    /// The current token, for an app that stores it.
    ///
    /// Setting one, after a sign-in, gives it to the tasks that wait for a token. Setting nil, or an empty one, at a
    /// sign-out, forgets it. A closure under way is then cancelled, and its token dropped; it runs again if tasks wait.
    public var token: Token? {
        get { renewal.current.flatMap { $0.received(at: renewal.now ?? Date()) } }
        set {
            // Before the first use no service's clock is known.
            renewal.replace(
                with: newValue.flatMap { token in
                    renewal.now.map { token.received(at: $0) } ?? (token.value.isEmpty ? nil : token)
                })
        }
    }

    /// Sets `Authorization`.
    public func authorize(_ request: inout URLRequest) async throws {
        let now = Date()
        let token = try await renewal.value(.system) { [margin] token in
            token.begin(at: now)
            return token.isValid(now, margin: margin)
        }
        request.authorize(by: try token.credential.field())
    }

    /// Marks the current token as rejected, so that the next request refreshes it.
    public func renew(after response: HTTPURLResponse, to request: URLRequest) {
        renewal.rejectCurrent()
    }
}

extension TokenAuthenticator: CredentialSource {
    var isWorkingHere: Bool { renewal.isWorkingHere }

    func authorizeNow(_ request: inout URLRequest, _ clock: any ServiceClock) throws -> Int? {
        let now = clock.now
        guard let token = renewal.use({ $0.begin(at: now) }), token.credential.isValid(now, margin: margin)
        else { return nil }
        request.authorize(by: try token.credential.field())
        return token.number
    }

    func authorized(
        _ request: URLRequest, _ clock: any ServiceClock, _ caller: Caller?,
        _ completion: @escaping @Sendable (Result<AuthorizedRequest, any Error>) -> Void
    ) -> ScheduledWork {
        let now = clock.now
        func isValid(_ token: inout Token) -> Bool {
            token.begin(at: now)
            return token.isValid(now, margin: margin)
        }
        return renewal.get(clock, isValid: isValid) { result in
            completion(
                Result {
                    let token = try result.get()
                    let authorized = request.authorized(by: try token.credential.field())
                    return AuthorizedRequest(request: authorized, credential: token.number)
                })
        }
    }

    var acceptsEverySuccess: Bool { true }

    func verdict(
        on response: HTTPURLResponse, to request: URLRequest, _ use: CredentialUse
    ) -> CredentialVerdict {
        guard response.isFromOrigin(of: request) else { return .accepted }
        guard isRefusal(response, of: request) else {
            // An error of a gateway says nothing about the token.
            if response.statusCode < 500 { accept(use) }
            return .accepted
        }
        switch renewal.reject(use) {
        case .rejected, .again: return .again
        case .final: return .accepted
        }
    }

    func accept(_ use: CredentialUse) { renewal.accept(use) }
}
