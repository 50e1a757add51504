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

/// An authenticator as tasks use it.
protocol CredentialSource: AnyObject, Sendable {
    var identity: String? { get }
    /// What stands in the place of the credential where a cache knows a response by the identity; nil without one.
    var cacheField: String? { get }

    /// Whether this code belongs to the making of a credential, which must not wait for itself.
    var isWorkingHere: Bool { get }

    /// Authorizes a request without waiting; nil where that can't be.
    func authorizedNow(_ request: URLRequest, _ clock: any ServiceClock) throws -> AuthorizedRequest?

    /// Authorizes a request, perhaps with time.
    ///
    /// - Returns: what ends the wait; the completion isn't called after that.
    func authorized(
        _ request: URLRequest, _ clock: any ServiceClock,
        _ completion: @escaping @Sendable (Result<AuthorizedRequest, any Error>) -> Void
    ) -> ScheduledWork

    /// Takes the head of a response.
    ///
    /// - Parameter credential: the number of the one that was sent.
    /// - Returns: whether it was refused, and another may do better.
    func refuses(_ response: HTTPURLResponse, to request: URLRequest, credential: Int) -> Bool
}

extension CredentialSource {
    var cacheField: String? {
        identity.map { "Identity \(SHA256.hexDigest(of: $0))" }
    }
}

/// An authenticator that never waits.
protocol ReadyAuthenticator: CredentialSource {
    func authorizedNow(_ request: URLRequest) throws -> AuthorizedRequest
}

extension ReadyAuthenticator {
    var isWorkingHere: Bool { false }

    func authorizedNow(_ request: URLRequest, _ clock: any ServiceClock) throws -> AuthorizedRequest? {
        try authorizedNow(request)
    }

    func authorized(
        _ request: URLRequest, _ clock: any ServiceClock,
        _ completion: @escaping @Sendable (Result<AuthorizedRequest, any Error>) -> Void
    ) -> ScheduledWork {
        completion(Result { try authorizedNow(request) })
        return ScheduledWork {}
    }
}

extension URLRequest {
    /// The request with a value for `Authorization`, in place of the one that it had.
    func authorized(by field: String?) -> URLRequest {
        var request = self
        request.setValue(field, forHTTPHeaderField: "Authorization")
        return request
    }

    var authorization: String? { value(forHTTPHeaderField: "Authorization") }
}

extension HTTPURLResponse {
    /// Whether the origin that a request was meant for has answered, rather than one that a redirect led to.
    func isFromOrigin(of request: URLRequest) -> Bool {
        guard let url, url != request.url else { return true }
        return Origin(url) == request.url.flatMap(Origin.init)
    }
}
