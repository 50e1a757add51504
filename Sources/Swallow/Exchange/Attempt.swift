import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Attempt: Sendable {
    private(set) var sent: Int = 1
    private(set) var rejected: Int = 0
    private(set) var retries: Int = 0
    private(set) var offlineRetries: Int = 0
    /// The number of rejected credentials that led to another attempt.
    private(set) var credentialRejections: Int = 0
    /// The number of the credential that the current attempt uses, or 0 without a credential.
    private(set) var credential = 0
    private(set) var rejectedCredential = 0
    /// `nil` if there can be no other attempt. May lack its credential.
    private(set) var request: URLRequest?
    private var isAuthorized = false
    /// The end of the task's timeout. `nil` unless retries have to respect it.
    var end: Date?
    /// The validators that a cache or a resource has added to the current attempt.
    private(set) var validators: Validators?

    /// After this number of rejected credentials, the next rejection is the response.
    static let credentialRejectionLimit: Int = 10

    var plainRequest: URLRequest? { isAuthorized ? request?.authorized(by: nil) : request }
}

extension Attempt {
    mutating func begin(_ request: URLRequest, isAuthorized: Bool, credential: Int) {
        (self.request, self.isAuthorized, self.credential) = (request, isAuthorized, credential)
        sent = rejected + 1
    }

    mutating func validate(with validators: Validators) {
        self.validators = validators
    }

    mutating func next(because cause: FollowUp.Cause) {
        rejected += 1
        rejectedCredential = cause == .rejectedCredential ? credential : 0
        switch cause {
        case .retry: retries += 1
        case .offline: (retries, offlineRetries) = (retries + 1, offlineRetries + 1)
        case .rejectedCredential: credentialRejections += 1
        case .redirect, .range: break
        case .validation: validators = nil
        }
    }
}
