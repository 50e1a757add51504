import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request with a credential.
struct AuthorizedRequest: Sendable {
    var request: URLRequest
    /// The number of the credential's use.
    var credential: Int
}

/// A credential as a transfer has sent it.
struct CredentialUse: Sendable {
    let number: Int
    /// The number of the use that was rejected in the task's attempt before; 0 if there was none.
    var rejectedNumber = 0
    /// The transfer's request, which differs from the attempt's after a redirect.
    let request: URLRequest
}

/// What a response means for the credential that was sent.
enum CredentialVerdict: Sendable {
    case accepted
    /// The request may be sent once more, because the server may accept another credential.
    case refused
    /// The request may be sent again, also after earlier rejections, because the credential is replaced or valid.
    case again
}

/// An authenticator as tasks use it.
protocol CredentialSource: AnyObject, Sendable {
    var identity: String? { get }
    /// The value of `Authorization` under which caches keep responses; nil for the credential itself.
    var cacheField: String? { get }

    /// Whether the calling code is part of making the credential, and so must not wait for it.
    var isWorkingHere: Bool { get }

    /// Authorizes a request without waiting; changes only its `Authorization` field.
    ///
    /// - Returns: the number of the credential; nil where there is none yet.
    func authorizeNow(_ request: inout URLRequest, _ clock: any ServiceClock) throws -> Int?

    /// Authorizes a request, which may take time.
    ///
    /// - Parameter caller: gives the app's code its priority and task-local values; nil for those of the calling code.
    /// - Returns: its `cancel()` ends the wait; the completion isn't called after that.
    func authorized(
        _ request: URLRequest, _ clock: any ServiceClock, _ caller: Caller?,
        _ completion: @escaping @Sendable (Result<AuthorizedRequest, any Error>) -> Void
    ) -> ScheduledWork

    /// Authorizes a request that follows from a redirect; nil where the credential that it has will do.
    var authorizeRedirect: (@Sendable (inout URLRequest) -> Void)? { get }

    /// Decides by a response's head, whatever its status, whether the server accepts the credential.
    ///
    /// - Parameter request: the attempt's request.
    func verdict(
        on response: HTTPURLResponse, to request: URLRequest, _ use: CredentialUse
    ) -> CredentialVerdict

    /// Whether every 2xx accepts the credential, so that `accept` may replace `verdict`.
    var acceptsEverySuccess: Bool { get }

    /// Notes that a 2xx accepted the credential.
    func accept(_ use: CredentialUse)

    /// Why no credential would satisfy the server that sent a refusal; nil where one may.
    func problem(with refusal: HTTPURLResponse) -> String?
}

extension CredentialSource {
    var acceptsEverySuccess: Bool { false }

    func accept(_ use: CredentialUse) {}

    func problem(with refusal: HTTPURLResponse) -> String? { nil }

    var cacheField: String? {
        identity.map { "Identity \(SHA256.hexDigest(of: $0))" }
    }

    var authorizeRedirect: (@Sendable (inout URLRequest) -> Void)? { nil }
}

/// By default a credential source never waits.
extension CredentialSource {
    var isWorkingHere: Bool { false }

    func authorized(
        _ request: URLRequest, _ clock: any ServiceClock, _ caller: Caller?,
        _ completion: @escaping @Sendable (Result<AuthorizedRequest, any Error>) -> Void
    ) -> ScheduledWork {
        completion(
            Result {
                var request = request
                let credential = try authorizeNow(&request, clock)
                return AuthorizedRequest(request: request, credential: credential ?? 0)
            })
        return ScheduledWork {}
    }
}

extension URLRequest {
    /// The request with a value for `Authorization`, in place of the one that it had.
    func authorized(by field: String?) -> URLRequest {
        var request = self
        request.authorize(by: field)
        return request
    }

    /// Sets `Authorization`, in place of the value that it had.
    mutating func authorize(by field: String?) {
        var fields = allHTTPHeaderFields ?? [:]
        // On Linux, setting one field costs 3 µs, all of them 0.1.
        guard let field, !fields.keys.contains(where: { $0.isAuthorization }) else {
            return setValue(field, forHTTPHeaderField: "Authorization")
        }
        fields["Authorization"] = field
        allHTTPHeaderFields = fields
    }

    var authorization: String? { value(forHTTPHeaderField: "Authorization") }
}

extension String {
    /// Whether it is `Authorization`, in upper or lower case.
    fileprivate var isAuthorization: Bool {
        utf8.count == 13 && lowercased() == "authorization"
    }
}

extension HTTPURLResponse {
    /// Whether the origin that a request was meant for has answered, rather than one that a redirect led to.
    func isFromOrigin(of request: URLRequest) -> Bool {
        guard let url, url != request.url else { return true }
        return Origin(url) == request.url.flatMap(Origin.init)
    }
}
