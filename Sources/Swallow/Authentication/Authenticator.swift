import Foundation

/// Adds a credential to requests, and makes a new credential after the server has rejected the current one.
///
/// ``TokenAuthenticator`` sends bearer tokens. `.basic` and `.digest` send names and passwords. Write your own
/// authenticator for other credentials, for example for a signature that is bound to its time.
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
/// Credentials never appear in logs, in errors, or in the requests that caches and ``RetryPolicy/decide`` receive.
///
/// The requests that ``authorize(_:)`` and ``refresh(after:to:)`` make are sent without a credential, because they
/// would otherwise wait for themselves. This includes requests from Swift tasks that inherit their task-local values.
public protocol Authenticator: Sendable {
    /// The owner of the requests, for example a user's id. It must not change. Caches store responses under the
    /// identity, so they can serve a response before there is a credential. If it is `nil`, the default, caches store
    /// responses under the credential in `Authorization`.
    var identity: String? { get }

    /// Adds a credential to a request. Called before each attempt, with the original request without a credential.
    ///
    /// This call may take long. The task is `.running` during the call. If the call throws, the task fails with reason
    /// ``ServiceError/Reason/authentication`` and that error as ``ServiceError/underlying``, or is cancelled if the
    /// error is a `CancellationError`. The call is cancelled with the task.
    func authorize(_ request: inout URLRequest) async throws

    /// Returns whether a response rejects the credential. By default, a 401 does. Called on a queue of the data source.
    func isRejection(_ response: HTTPURLResponse, of request: URLRequest) -> Bool

    /// Makes a new credential after the server rejected the current one. All waiting tasks of a service and its copies
    /// share one call.
    ///
    /// Each rejected request is then sent again. If the server rejects the new credential as well, its response is the
    /// task's response, unless the credential was replaced before the response arrived. Then the request is sent again,
    /// up to ten times in all.
    ///
    /// In two cases, a rejection doesn't lead to a call. First, an endpoint (method and path) that also rejects the new
    /// credential causes no further call until it accepts a credential. Second, if the server has accepted the
    /// credential in a request that was sent later, the rejected request is first sent once more.
    ///
    /// Cancelling a waiting task doesn't cancel the call. If it throws, all waiting tasks fail as in ``authorize(_:)``.
    func refresh(after response: HTTPURLResponse, to request: URLRequest) async throws
}

extension Authenticator {
    /// `nil`. Caches store responses under the credential.
    public var identity: String? { nil }

    /// Returns whether the status is 401.
    public func isRejection(_ response: HTTPURLResponse, of request: URLRequest) -> Bool {
        response.statusCode == 401
    }
}
