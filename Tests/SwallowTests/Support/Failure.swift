import Swallow
import TestSupport

/// An error that says when it is let go of.
final class TokenError: Error {
    private let isGone: Event
    init(_ isGone: Event) { self.isGone = isGone }
    deinit { isGone.happen() }
}

extension Result where Failure == ServiceError {
    /// The failure; nil for a success.
    var failure: ServiceError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
