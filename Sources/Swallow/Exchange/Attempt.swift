import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Counts the attempts at a request, and stores the request of the current one.
struct Attempt: Sendable {
    private(set) var sent: Int = 1
    private(set) var rejected: Int = 0
    /// The number of retries that the retry policy decided.
    private(set) var retries: Int = 0
    /// The number of these retries that were made because the network was unreachable.
    private(set) var offlineRetries: Int = 0
    /// The number of rejected credentials that led to another attempt.
    private(set) var refusals: Int = 0
    /// The number of the credential that the current attempt uses, or 0 without a credential.
    private(set) var credential = 0
    /// The number of the credential that was rejected in the previous attempt, or 0.
    private(set) var refusedCredential = 0
    /// `nil` if there can be no other attempt. May lack its credential.
    private(set) var request: URLRequest?
    private var isAuthorized = false
    /// The end of the task's timeout. `nil` unless retries have to respect it.
    var end: Date?
    /// The validators that a cache or a resource has added to the current attempt.
    private(set) var validators: Validators?

    /// After this number of rejected credentials, the next rejection is the response.
    static let refusalLimit: Int = 10

    var plainRequest: URLRequest? { isAuthorized ? request?.authorized(by: nil) : request }
}

extension Attempt {
    mutating func begin(_ request: URLRequest, isAuthorized: Bool, credential: Int) {
        (self.request, self.isAuthorized, self.credential) = (request, isAuthorized, credential)
        sent = rejected + 1
    }

    mutating func ask(by validators: Validators) {
        self.validators = validators
    }

    mutating func next(because cause: FollowUp.Cause) {
        rejected += 1
        refusedCredential = cause == .rejectedCredential ? credential : 0
        switch cause {
        case .retry: retries += 1
        case .offline: (retries, offlineRetries) = (retries + 1, offlineRetries + 1)
        case .rejectedCredential: refusals += 1
        case .redirect, .range: break
        case .validation: validators = nil
        }
    }
}
