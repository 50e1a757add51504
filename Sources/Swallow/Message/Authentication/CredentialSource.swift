import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request with a credential.
struct AuthorizedRequest: Sendable {
    var request: URLRequest
    /// The number of the credential, by which its refusal is known.
    var credential: Int
}

/// What a response says of the credential that was sent.
enum CredentialVerdict: Sendable {
    case accepted
    /// The request may be sent once more: another credential may do better.
    case refused
    /// The request is worth being sent again, however often it was: another credential is there, or on its way.
    case replaced
}

/// An authenticator as tasks use it.
protocol CredentialSource: AnyObject, Sendable {
    var identity: String? { get }
    /// What stands in the place of the credential where a cache knows a response by the identity; nil without one.
    var cacheField: String? { get }

    /// Whether this code belongs to the making of a credential, which must not wait for itself.
    var isWorkingHere: Bool { get }

    /// Authorizes a request without waiting, by its `Authorization` alone.
    ///
    /// - Returns: the number of the credential; nil where there is none yet.
    func authorizeNow(_ request: inout URLRequest, _ clock: any ServiceClock) throws -> Int?

    /// Authorizes a request, perhaps with time.
    ///
    /// - Parameter caller: whose priority and task-local values code of the app's sees; nil where it runs on their stack.
    /// - Returns: what ends the wait; the completion isn't called after that.
    func authorized(
        _ request: URLRequest, _ clock: any ServiceClock, _ caller: Caller?,
        _ completion: @escaping @Sendable (Result<AuthorizedRequest, any Error>) -> Void
    ) -> ScheduledWork

    /// Authorizes a request that follows from a redirect; nil where the credential that it has will do.
    var authorizeRedirect: (@Sendable (inout URLRequest) -> Void)? { get }

    /// Takes the head of a response, whatever its status.
    ///
    /// - Parameter credential: the number of the one that was sent.
    func verdict(
        on response: HTTPURLResponse, to request: URLRequest, credential: Int
    ) -> CredentialVerdict

    /// Why no credential would satisfy the server that sent a refusal; nil where one may.
    func problem(with refusal: HTTPURLResponse) -> String?
}

extension CredentialSource {
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
    /// Whether it is the name of the field, in any case.
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
