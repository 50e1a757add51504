import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An error that calls an event when it is released.
package final class TokenError: Error {
    private let isGone: Event
    package init(_ isGone: Event) { self.isGone = isGone }
    deinit { isGone.happen() }
}

extension Result where Failure == ServiceError {
    package var failure: ServiceError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension ServiceError {
    package static var offline: ServiceError { ServiceError(.transport(URLError(.notConnectedToInternet))) }
}

extension Result where Failure == ServiceError {
    package var reason: ServiceError.Reason? {
        if case .failure(let error) = self { error.reason } else { nil }
    }
    package var value: Success? { try? get() }
}
