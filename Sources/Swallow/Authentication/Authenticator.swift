import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Adds a credential to requests, and makes a new credential after the server has rejected the current one.
///
/// ``TokenAuthenticator`` sends bearer tokens. `.basic` and `.digest` send names and passwords. Write your own
/// authenticator for other credentials, for example for a signature that is bound to its time, or for a session that
/// begins with its own request.
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
///     func isRefusal(_ response: HTTPURLResponse, of request: URLRequest) -> Bool { false }
///     func renew(after response: HTTPURLResponse, to request: URLRequest) {}
/// }
/// ```
///
/// Only requests to the base URL's origin are authorized, and only responses of that origin can reject a credential.
/// Credentials never appear in logs or errors, in the request that caches read, or in the request that
/// ``RetryPolicy/decide`` receives.
///
/// The requests that ``authorize(_:)`` and ``renew(after:to:)`` make are sent without a credential, because they would
/// otherwise wait for themselves. This also applies to Swift tasks that inherit their task-local values.
public protocol Authenticator: Sendable {
    /// The owner of the requests, for example a user's id. It must not change. Caches store responses under the
    /// identity. They are read before there is a credential, so they also serve responses offline. If it is `nil`, the
    /// default, caches store responses under the credential in `Authorization`, and are read after a credential is
    /// available.
    var identity: String? { get }

    /// Adds a credential to a request. Called before each attempt, with the original request without a credential.
    ///
    /// This call may take long. The task is `.running` during the call. If the call throws, the task fails with reason
    /// ``ServiceError/Reason/authentication`` and that error as ``ServiceError/underlying``, or is cancelled if the
    /// error is a `CancellationError`. The call is cancelled with the task.
    func authorize(_ request: inout URLRequest) async throws

    /// Whether a response rejects the credential. By default, this is a response with status 401. Called when the
    /// response's head arrives, on a queue of the data source.
    func isRefusal(_ response: HTTPURLResponse, of request: URLRequest) -> Bool

    /// Makes a new credential after the server rejected the current one. All waiting tasks of a service and its copies
    /// share one call.
    ///
    /// Each rejected request is then sent again. If the server rejects the new credential as well, its response is the
    /// task's response, unless the credential was replaced before the response arrived. Then the request is sent again,
    /// up to ten times in all.
    ///
    /// A rejection doesn't lead to a call in two cases. An endpoint (method and path) that also rejects the credential
    /// that was made because of it leads to no further call until it accepts a credential. A request that was sent
    /// before an accepted request with the same credential is sent once more with that credential. Only if the server
    /// rejects it again, the call follows.
    ///
    /// Cancelling a waiting task doesn't cancel this call. If the call throws, all waiting tasks fail as they do after
    /// ``authorize(_:)``.
    func renew(after response: HTTPURLResponse, to request: URLRequest) async throws
}

extension Authenticator {
    /// `nil`. Caches store responses under the credential.
    public var identity: String? { nil }

    /// Returns whether the status is 401.
    public func isRefusal(_ response: HTTPURLResponse, of request: URLRequest) -> Bool {
        response.statusCode == 401
    }
}
