import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Counts the tries of a request, and keeps the current one's request. A redirect doesn't count as a new try.
struct Attempt: Sendable {
    /// How often the request was sent, at least once.
    private(set) var sent: Int = 1
    /// How many tries were rejected.
    private(set) var rejected: Int = 0
    /// How often the retry policy asked for another try.
    private(set) var retries: Int = 0
    /// How many of these retries were because the network was gone.
    private(set) var offlineRetries: Int = 0
    /// How often a refused credential led to another try.
    private(set) var refusals: Int = 0
    /// The number of the credential's use in the current attempt; 0 without a credential.
    private(set) var credential = 0
    /// The number of the use that was rejected in the attempt before; 0 if none was.
    private(set) var refusedCredential = 0
    /// The current try's request, perhaps without its credential; nil where there can be no other try.
    private(set) var request: URLRequest?
    private var isAuthorized = false
    /// When the task's timeout ends; nil unless retries have to respect it.
    var end: Date?
    /// The validators that a cache or a resource has added to the current try.
    private(set) var validators: Validators?

    /// How many refusals of replaced credentials lead to another try; the next one becomes the response.
    static let refusalLimit: Int = 10

    /// The current try's request without its credential.
    var plainRequest: URLRequest? { isAuthorized ? request?.authorized(by: nil) : request }
}

extension Attempt {
    /// Begins a try with its request.
    ///
    /// - Parameters:
    ///   - isAuthorized: whether the request has a credential in `Authorization`.
    ///   - credential: the number of the credential that is sent.
    mutating func begin(_ request: URLRequest, isAuthorized: Bool, credential: Int) {
        (self.request, self.isAuthorized, self.credential) = (request, isAuthorized, credential)
        sent = rejected + 1
    }

    /// Notes the validators that the try sends.
    mutating func ask(by validators: Validators) {
        self.validators = validators
    }

    /// Rejects the current try, and counts the cause.
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
