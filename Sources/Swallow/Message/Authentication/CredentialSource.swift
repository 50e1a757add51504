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
    /// The number of the use that was rejected in the task's previous attempt, or 0 if there was none.
    var rejectedNumber = 0
    /// The transfer's request. After a redirect, it differs from the attempt's request.
    let request: URLRequest
}

/// The meaning of a response for the credential that was sent.
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
    /// The value of `Authorization` under which caches store responses. If it is `nil`, they use the credential itself.
    var cacheField: String? { get }

    /// Whether the calling code is part of making the credential, so that it must not wait for the credential.
    var isWorkingHere: Bool { get }

    /// Authorizes a request without waiting. Changes only the request's `Authorization` field.
    ///
    /// - Returns: The number of the credential, or `nil` if there is no credential yet.
    func authorizeNow(_ request: inout URLRequest, _ clock: any ServiceClock) throws -> Int?

    /// Authorizes a request, which may take time.
    ///
    /// - Parameter caller: Provides the priority and the task-local values for the app's code. If it is `nil`, the
    ///   calling code provides them.
    /// - Returns: Work whose `cancel()` ends the wait. The completion isn't called after that.
    func authorized(
        _ request: URLRequest, _ clock: any ServiceClock, _ caller: Caller?,
        _ completion: @escaping @Sendable (Result<AuthorizedRequest, any Error>) -> Void
    ) -> ScheduledWork

    /// Authorizes a request that follows from a redirect. It is `nil` if the request's credential stays valid.
    var authorizeRedirect: (@Sendable (inout URLRequest) -> Void)? { get }

    /// Decides from a response's head, whatever its status, whether the server accepts the credential.
    ///
    /// - Parameter request: The attempt's request.
    func verdict(
        on response: HTTPURLResponse, to request: URLRequest, _ use: CredentialUse
    ) -> CredentialVerdict

    /// Whether every 2xx accepts the credential, so that `accept` may replace `verdict`.
    var acceptsEverySuccess: Bool { get }

    /// Notes that a 2xx accepted the credential.
    func accept(_ use: CredentialUse)

    /// Returns the reason why no credential would satisfy the server that sent a rejection, or `nil` if another
    /// credential may be accepted.
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

/// The default of a credential source that never waits.
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
    /// Returns the request with another value for `Authorization`.
    func authorized(by field: String?) -> URLRequest {
        var request = self
        request.authorize(by: field)
        return request
    }

    /// Replaces the value of `Authorization`.
    mutating func authorize(by field: String?) {
        var fields = allHTTPHeaderFields ?? [:]
        // On Linux, setting one field costs 3 µs, and setting all fields costs 0.1 µs.
        guard let field, !fields.keys.contains(where: { $0.isAuthorization }) else {
            return setValue(field, forHTTPHeaderField: "Authorization")
        }
        fields["Authorization"] = field
        allHTTPHeaderFields = fields
    }

    var authorization: String? { value(forHTTPHeaderField: "Authorization") }
}

extension String {
    /// Whether the text is `Authorization`, in upper or lower case.
    fileprivate var isAuthorization: Bool {
        utf8.count == 13 && lowercased() == "authorization"
    }
}

extension HTTPURLResponse {
    /// Whether the response is from the origin of the request, and not from another origin to which a redirect led.
    func isFromOrigin(of request: URLRequest) -> Bool {
        guard let url, url != request.url else { return true }
        return Origin(url) == request.url.flatMap(Origin.init)
    }
}
