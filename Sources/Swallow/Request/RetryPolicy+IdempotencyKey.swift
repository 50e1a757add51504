import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension RetryPolicy {
    /// The same policy for POST and PATCH, too: such a request gets an `Idempotency-Key`, a new UUID. A server that
    /// knows the field carries out a request that comes twice only once.
    ///
    /// ```swift
    /// service.configure("/payments**") { $0.retry = .standard.withIdempotencyKey() }
    /// ```
    ///
    /// All tries of a task have the same key, a new task another. A key that the request has already stays: set one where
    /// an app sends the same payment again after a restart. `adaptRequest` and authenticators see the key.
    public func withIdempotencyKey() -> RetryPolicy {
        var policy = self
        policy.sendKeys()
        return policy
    }

    /// Adds the key, where the policy wants one.
    func addIdempotencyKey(to request: inout URLRequest) {
        guard sendsIdempotencyKey, request.httpMethod == "POST" || request.httpMethod == "PATCH",
            request.value(forHTTPHeaderField: "Idempotency-Key") == nil
        else { return }
        request.setValue(UUID().uuidString.lowercased(), forHTTPHeaderField: "Idempotency-Key")
    }
}
