import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Gives requests a credential, and makes a new one when the server refuses it.
///
/// ``TokenAuthenticator`` does bearer tokens, `.basic` and `.digest` do names and passwords. Write one for anything else:
/// a signature that is bound to its time, or a session that begins with a request of its own.
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
/// Only requests to the base URL's origin are authorized, and only that origin's responses can refuse a credential. A
/// credential gets neither into logs nor errors, nor into the request that caches and ``RetryPolicy/decide`` see.
///
/// Requests that ``authorize(_:)`` and ``renew(after:to:)`` make themselves, in their Swift task and the tasks of it,
/// go out without a credential: otherwise they would wait for themselves.
public protocol Authenticator: Sendable {
    /// Tells whose requests they are: a user's id, say. It must not change. Caches keep responses under it, and are
    /// asked before there is a credential, so that they answer offline, too. With nil, the default, they keep responses
    /// under the credential in `Authorization`, and are asked once there is one.
    var identity: String? { get }

    /// Adds a credential to a request; called before each attempt, with the request as it was before the first one.
    ///
    /// This call may take long. The task is `.running` during the call. If the call throws, the task fails with reason
    /// ``ServiceError/Reason/authentication`` and that error as ``ServiceError/underlying``, or is cancelled if the error is a
    /// `CancellationError`. The call is cancelled with the task.
    func authorize(_ request: inout URLRequest) async throws

    /// Whether a response refuses the credential; by default a 401. Called at the head, on a queue of the data source's.
    func isRefusal(_ response: HTTPURLResponse, of request: URLRequest) -> Bool

    /// Makes a new credential after the server rejected the current one. All waiting tasks of a service and its copies share
    /// one call.
    ///
    /// Each rejected request is then sent again. If the server rejects the new credential as well, its response is the task's
    /// response, unless the credential was replaced before the response arrived. Then the request is sent again, up to ten
    /// times in all.
    ///
    /// A rejection doesn't lead to a call in two cases. An endpoint (method and path) that also rejects the credential that was
    /// made because of it leads to no further call until it accepts a credential. A request that was sent before an accepted
    /// request with the same credential is sent once more with that credential. Only if the server rejects it again, the call
    /// follows.
    ///
    /// Cancelling a waiting task doesn't cancel this call. If the call throws, all waiting tasks fail as they do after
    /// ``authorize(_:)``.
    func renew(after response: HTTPURLResponse, to request: URLRequest) async throws
}

extension Authenticator {
    /// Nil: caches know responses by the credential.
    public var identity: String? { nil }

    /// Whether the status is 401.
    public func isRefusal(_ response: HTTPURLResponse, of request: URLRequest) -> Bool {
        response.statusCode == 401
    }
}
