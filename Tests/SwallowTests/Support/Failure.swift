import Swallow

extension Result where Failure == ServiceError {
    /// The failure; nil for a success.
    var failure: ServiceError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
