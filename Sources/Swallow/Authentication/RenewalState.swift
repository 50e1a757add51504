import Foundation

/// A credential, and the waiters for a new one. This value only decides, and ``Renewal`` makes the calls.
struct RenewalState<Credential: Sendable>: Sendable {
    typealias Waiter = @Sendable (Result<Numbered, any Error>) -> Void

    struct Numbered: Sendable {
        var credential: Credential
        /// Waiters that receive a new credential share the first number of its uses.
        var number: Int
    }

    enum Decision: Sendable {
        case use(Numbered)
        case wait
        case make(replacing: Credential?, renewal: Int)
    }

    private(set) var current: Credential?
    private var rejections = CredentialRejections()
    private var renewal: Int?
    private var lastRenewal = 0
    private var waiters: [Int: Waiter] = [:]

    init(_ credential: Credential?) {
        if let credential { set(credential, isRefreshed: false) }
    }

    mutating func use() -> Numbered? {
        guard !rejections.isRejected, let current else { return nil }
        return Numbered(credential: current, number: rejections.use())
    }

    mutating func accept(_ use: CredentialUse) {
        rejections.accept(use.number, by: .init(use.request))
    }

    mutating func reject(_ use: CredentialUse) -> CredentialRejections.Decision {
        // A new credential that is being made replaces this one.
        if renewal != nil, rejections.isCurrent(use.number) { rejections.rejectCurrent() }
        return rejections.reject(use.number, after: use.rejectedNumber, by: .init(use.request))
    }

    mutating func rejectCurrent() { rejections.rejectCurrent() }

    mutating func join(_ id: Int, isValid: (inout Credential) -> Bool, _ waiter: @escaping Waiter) -> Decision
    {
        if !rejections.isRejected, var credential = current {
            let isValid = isValid(&credential)
            current = credential
            if isValid, let numbered = use() { return .use(numbered) }
        }
        waiters[id] = waiter
        if renewal != nil { return .wait }
        return .make(replacing: current, renewal: begin())
    }

    mutating func change(_ change: (inout Credential) -> Void) {
        guard var credential = current else { return }
        change(&credential)
        current = credential
    }

    func isMaking(_ renewal: Int) -> Bool { renewal == self.renewal }

    mutating func leave(_ id: Int) -> Waiter? {
        waiters.removeValue(forKey: id)
    }

    /// Returns the waiters and the result for them, or `nil` if another renewal has begun since.
    mutating func end(
        _ renewal: Int, _ result: Result<Credential, any Error>
    ) -> ([Waiter], Result<Numbered, any Error>)? {
        guard renewal == self.renewal else { return nil }
        self.renewal = nil
        let waiters = takeWaiters()
        return (waiters, result.map { set($0, isRefreshed: true) })
    }

    /// Without a credential, the waiters stay, and the function returns the number of the renewal to begin for them.
    mutating func replace(with credential: Credential?) -> (waiters: [Waiter], Numbered?, renewal: Int?) {
        renewal = nil
        current = nil
        if let credential { return (takeWaiters(), set(credential, isRefreshed: false), nil) }
        _ = rejections.replaceCredential(isRefreshed: false)
        return ([], nil, waiters.isEmpty ? nil : begin())
    }

    @discardableResult
    private mutating func set(_ credential: Credential, isRefreshed: Bool) -> Numbered {
        current = credential
        return Numbered(
            credential: credential, number: rejections.replaceCredential(isRefreshed: isRefreshed))
    }

    private mutating func begin() -> Int {
        lastRenewal += 1
        renewal = lastRenewal
        return lastRenewal
    }

    private mutating func takeWaiters() -> [Waiter] {
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }
}
