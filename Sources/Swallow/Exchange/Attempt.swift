import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Counts the tries of a request, and keeps what the current try sends. A redirect is no new try.
struct Attempt: Sendable {
    /// What the current try asks about. Indirect, so that it makes no exchange larger.
    private indirect enum Asked: Sendable {
        case validators(Validators)
    }

    /// How often the request was sent, at least once.
    private(set) var sent: Int = 1
    /// How many tries were rejected.
    private(set) var rejected: Int = 0
    /// How often the data source repeated what it was given to send.
    private(set) var repeats: Int = 0
    /// How often the retry policy had the request sent again.
    private(set) var retries: Int = 0
    /// How often of these because the network was gone.
    private(set) var offlineRetries: Int = 0
    /// How often a refusal of its credential had.
    private(set) var refusals: Int = 0
    /// The number of the current try's credential.
    private(set) var credential = 0
    /// What the current try sends, perhaps without its credential; nil where there is to be no other try.
    private(set) var request: URLRequest?
    private var isAuthorized = false
    /// When the task's time is over, where that matters.
    var end: Date?
    private var asked: Asked?

    /// How often credentials that were replaced meanwhile may be refused: a server that refuses each isn't asked for ever.
    static let refusalLimit: Int = 10

    /// The current try's request without its credential.
    var plainRequest: URLRequest? { isAuthorized ? request?.authorized(by: nil) : request }

    /// Those of the response that the current try asks about, where a cache or a resource had them added.
    var validators: Validators? {
        switch asked {
        case .validators(let validators): validators
        case nil: nil
        }
    }
}

extension Attempt {
    /// Takes what the current try sends.
    ///
    /// - Parameters:
    ///   - isAuthorized: whether the request has a credential in `Authorization`.
    ///   - credential: the number of the one that is sent.
    mutating func begin(_ request: URLRequest, isAuthorized: Bool, credential: Int) {
        (self.request, self.isAuthorized, self.credential) = (request, isAuthorized, credential)
        sent = rejected + 1
    }

    /// Notes what the request asks about.
    mutating func ask(by validators: Validators) {
        asked = .validators(validators)
    }

    /// Takes how often the data source sent a hop that has ended.
    mutating func noteSendings(_ count: Int) {
        repeats += max(0, count - 1)
    }

    /// Makes room for the next try.
    mutating func next(because cause: Exchange.Cause) {
        rejected += 1
        switch cause {
        case .retry: retries += 1
        case .offline: (retries, offlineRetries) = (retries + 1, offlineRetries + 1)
        case .refusal: refusals += 1
        case .redirect, .range: break
        case .validation: asked = nil
        }
    }
}
