import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How often a task's request was sent, and what is known of the current attempt.
struct Attempts: Sendable {
    /// What is to become of an attempt.
    enum Verdict: Sendable {
        /// What it ends with is the end.
        case accept
        case fail(ServiceError)
        /// It is rejected: nobody sees its head, and its body is dropped.
        case again(after: Duration, because: Cause)
    }

    /// Why a request is sent again.
    enum Cause: Sendable {
        /// The retry policy wants it.
        case retry
        /// Its credential was refused.
        case refusal
        /// The answer doesn't continue what a download has.
        case range
        /// The answer says that something else is still right than what it was asked about.
        case validation
    }

    /// The data task of a rejected attempt that goes on. Indirect, so that it makes no task larger.
    private indirect enum Leftover: Sendable {
        case dataTask(any DataTask, dropped: Int)

        var dataTask: any DataTask {
            switch self {
            case .dataTask(let dataTask, _): dataTask
            }
        }
    }

    /// What the current attempt asks about. Indirect, so that it makes no task larger.
    private indirect enum Asked: Sendable {
        case validators(Validators)
    }

    /// How often the request was sent, at least once.
    private(set) var sent = 1
    /// The number of the current attempt, from 0 on.
    private(set) var number = 0
    /// How often the data source sent the earlier attempts more than once.
    private(set) var repeats = 0
    /// How often the retry policy had the request sent again.
    private(set) var retries = 0
    /// How often a refusal of its credential had.
    private(set) var refusals = 0
    /// The number of the current attempt's credential.
    private(set) var credential = 0
    /// Whether the current attempt was judged, and isn't rejected.
    private(set) var isAccepted = false
    /// What the current attempt sends, perhaps without its credential; nil where there is to be no other attempt.
    private(set) var request: URLRequest?
    private var isAuthorized = false
    /// When the task's time is over, where that matters.
    var end: Date?
    private var leftover: Leftover?
    private var asked: Asked?

    /// How often credentials that were replaced meanwhile may be refused: a server that refuses each isn't asked for ever.
    static let refusalLimit = 10
    /// How much of a rejected attempt's body may come, so that its connection is kept.
    private static let drainLimit = 64 * 1024

    /// The current attempt's request without its credential.
    var plainRequest: URLRequest? { isAuthorized ? request?.authorized(by: nil) : request }

    /// Those of the response that the current attempt asks about, where a cache or a resource had them added.
    var validators: Validators? {
        switch asked {
        case .validators(let validators): validators
        case nil: nil
        }
    }
}

extension Attempts {
    /// Takes what an attempt sends.
    ///
    /// - Parameters:
    ///   - isAuthorized: whether the request has a credential in `Authorization`.
    ///   - credential: the number of the one that is sent.
    mutating func begin(_ number: Int, _ request: URLRequest, isAuthorized: Bool, credential: Int) {
        guard number == self.number else { return }
        (self.request, self.isAuthorized, self.credential) = (request, isAuthorized, credential)
        sent = number + 1
    }

    /// Notes what the request asks about.
    mutating func ask(by validators: Validators) {
        asked = .validators(validators)
    }

    /// Takes how often the data source sent an attempt that has ended.
    mutating func noteSendings(_ count: Int) {
        repeats += max(0, count - 1)
    }

    /// Has the rest of the current attempt be the task's.
    mutating func accept(_ number: Int) {
        if number == self.number { isAccepted = true }
    }

    /// Makes room for the next attempt.
    ///
    /// - Parameter dataTask: the rejected one's, whose rest is to come.
    /// - Returns: that of the one before, whose rest isn't any more.
    mutating func reject(because cause: Cause, _ dataTask: (any DataTask)?) -> (any DataTask)? {
        let old = leftover?.dataTask
        leftover = dataTask.map { .dataTask($0, dropped: 0) }
        number += 1
        isAccepted = false
        switch cause {
        case .retry: retries += 1
        case .refusal: refusals += 1
        case .range: break
        case .validation: asked = nil
        }
        return old
    }

    /// Takes a part of a rejected attempt.
    ///
    /// - Returns: its data task, where its body is too long.
    mutating func drop(_ part: ResponsePart, of number: Int) -> (any DataTask)? {
        guard number == self.number - 1, case .dataTask(let dataTask, var dropped)? = leftover,
            case .bytes(let bytes) = part
        else { return nil }
        dropped += bytes.count
        let isTooMuch = dropped > Self.drainLimit
        leftover = isTooMuch ? nil : .dataTask(dataTask, dropped: dropped)
        return isTooMuch ? dataTask : nil
    }

    /// Takes the end of a rejected attempt.
    ///
    /// - Returns: what is to be let go of without the lock.
    mutating func drop(_ number: Int) -> (any DataTask)? {
        guard number == self.number - 1 else { return nil }
        defer { leftover = nil }
        return leftover?.dataTask
    }
}
