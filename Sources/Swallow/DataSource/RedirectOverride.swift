/// A request's own redirect policy, on its way to the data source that follows the redirects.
///
/// Data source adapters pass it on as part of ``SenderTerms``, without knowing about it. A data source that follows
/// redirects itself never takes the policy, so the task knows that the redirects didn't follow the request's policy.
package final class RedirectOverride: Sendable {
    private let policy: RedirectPolicy
    private let isTaken = Lock(false)

    init(_ policy: RedirectPolicy) {
        self.policy = policy
    }

    /// Returns the policy for a data source that applies it.
    package func take() -> RedirectPolicy {
        isTaken.withLock { $0 = true }
        return policy
    }

    var wasTaken: Bool { isTaken.withLock { $0 } }

    /// The error of a request whose policy can't be applied.
    static let refusal = ServiceError(
        .invalidRequest,
        detail: "the data source follows redirects itself, so .redirects has no effect on it")
}
