/// A request's own redirect policy. Adapters pass it on as part of ``SenderTerms``. A data source that follows
/// redirects itself never takes the policy, so the task knows that the policy had no effect.
package final class RedirectOverride: Sendable {
    private let policy: RedirectPolicy
    private let isTaken = Lock(false)

    init(_ policy: RedirectPolicy) {
        self.policy = policy
    }

    package func take() -> RedirectPolicy {
        isTaken.withLock { $0 = true }
        return policy
    }

    var wasTaken: Bool { isTaken.withLock { $0 } }

    static let refusal = ServiceError(
        .invalidRequest,
        detail: "the data source follows redirects itself, so .redirects has no effect on it")
}
