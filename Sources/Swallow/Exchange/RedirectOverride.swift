/// A request's own redirect policy. If no data source takes it, the task knows that it had no effect.
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

    static let ignoredError = ServiceError(
        .invalidRequest,
        detail: "the data source follows redirects itself, so .redirects has no effect on it")
}
