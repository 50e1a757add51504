import Foundation

extension RetryPolicy {
    /// Returns a copy of the policy that also applies to POST and PATCH. Such requests receive an `Idempotency-Key`,
    /// which is a new UUID. If a server supports the field, it processes a repeated request only once.
    ///
    /// ```swift
    /// service.configure("/payments**") { $0.retry = .standard.withIdempotencyKey() }
    /// ```
    ///
    /// All attempts of a task have the same key. A key that the request already has stays unchanged. Set your own key
    /// if the app sends the same payment again after a restart.
    public func withIdempotencyKey() -> RetryPolicy {
        var policy = self
        policy.sendsIdempotencyKey = true
        policy.methods.formUnion([.POST, .PATCH])
        return policy
    }

    func addIdempotencyKey(to request: inout URLRequest) {
        guard sendsIdempotencyKey, request.httpMethod == "POST" || request.httpMethod == "PATCH",
            request.value(forHTTPHeaderField: "Idempotency-Key") == nil
        else { return }
        request.setValue(UUID().uuidString.lowercased(), forHTTPHeaderField: "Idempotency-Key")
    }
}
