import Foundation

/// A type that adds a credential to requests, and makes a new one after the server has rejected it.
///
/// ``TokenAuthenticator`` sends bearer tokens. `.basic` and `.digest` use a name and a password. For other credentials,
/// such as a signature with a time, write your own authenticator:
///
/// ```swift
/// struct Signer: Authenticator {
///     let key: Key
///     var identity: String? { key.id }
///
///     func authorize(_ request: inout URLRequest) {
///         request.setValue(key.signature(of: request, at: Date()), forHTTPHeaderField: "X-Signature")
///     }
///
///     func isRejection(_ response: HTTPURLResponse, of request: URLRequest) -> Bool { false }
///     func refresh(after response: HTTPURLResponse, to request: URLRequest) {}
/// }
/// ```
///
/// Only requests to the base URL's origin are authorized, and only responses of that origin can reject a credential.
/// Log events and error texts show requests without their credentials. Requests that ``authorize(_:)`` and
/// ``refresh(after:to:)`` send with the same configuration have no credential, or else they would wait for themselves.
public protocol Authenticator: Sendable {
    /// The owner of the requests, for example a user's id. It must not change. Caches store responses under the
    /// identity, so they can serve a response before there is a credential. If it is `nil`, they use `Authorization`.
    var identity: String? { get }

    /// Adds a credential to a request, or replaces it. Called before each attempt, and also before caches are read if
    /// ``identity`` is `nil`. The call may take a long time. Cancelling the task cancels the call. If it throws a
    /// cancellation, such as `CancellationError`, the task is cancelled. After any other error, the task fails with
    /// reason ``ServiceError/Reason/authentication`` and usually that error as ``ServiceError/underlying``.
    func authorize(_ request: inout URLRequest) async throws

    /// Returns whether a response rejects the credential, by default whether it is a 401. Called on any thread.
    func isRejection(_ response: HTTPURLResponse, of request: URLRequest) -> Bool

    /// Makes a new credential after the server has rejected the current one. Waiting tasks with the same configuration
    /// share one call. Each rejected request is then sent again, unless its body can be sent only once. If the server
    /// keeps rejecting new credentials, the task receives that response. If the credential was replaced before the
    /// response arrived, the request is sent up to ten more times.
    ///
    /// Some rejections don't cause a call. An endpoint (method and path) that keeps rejecting new credentials usually
    /// causes no call until it accepts one. If the server has accepted the credential in a later request, the rejected
    /// request is first sent again.
    ///
    /// Cancelling a waiting task doesn't cancel the call. If it throws, all waiting tasks fail as in ``authorize(_:)``.
    func refresh(after response: HTTPURLResponse, to request: URLRequest) async throws
}

extension Authenticator {
    /// `nil`. Caches store responses under `Authorization`.
    public var identity: String? { nil }

    /// Returns whether the status is 401.
    public func isRejection(_ response: HTTPURLResponse, of request: URLRequest) -> Bool {
        response.statusCode == 401
    }
}
