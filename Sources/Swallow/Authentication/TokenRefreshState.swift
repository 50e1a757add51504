import Foundation

struct TokenRefreshState<Credential: Sendable>: Sendable {
    typealias Waiter = @Sendable (Result<Numbered, any Error>) -> Void

    struct Numbered: Sendable {
        var credential: Credential
        var number: Int
    }

    enum Decision: Sendable {
        case use(Numbered)
        case wait
        case make(replacing: Credential?, refresh: Int)
    }

    private(set) var current: Credential?
    var clock: (any ServiceClock)?
    var work: Task<Void, Never>?
    private var rejections = CredentialRejections()
    private var refresh: Int?
    private var lastNumber = 0
    private var waiters: [Int: Waiter] = [:]

    init(_ credential: Credential?) {
        if let credential { set(credential, isRefreshed: false) }
    }

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func use(if isValid: (inout Credential) -> Bool = { _ in true }) -> Numbered? {
        guard !rejections.isRejected, var credential = current else { return nil }
        let isValid = isValid(&credential)
        current = credential
        return isValid ? Numbered(credential: credential, number: rejections.use()) : nil
    }

    mutating func accept(_ use: CredentialUse) {
        rejections.accept(use.number, by: .init(use.request))
    }

    mutating func reject(_ use: CredentialUse) -> CredentialRejections.Decision {
        // If the current credential is rejected during a token refresh, the request waits for the new one.
        if refresh != nil, rejections.isCurrent(use.number) { rejections.rejectCurrent() }
        return rejections.reject(use.number, after: use.rejectedNumber, by: .init(use.request))
    }

    mutating func rejectCurrent() { rejections.rejectCurrent() }

    mutating func join(_ id: Int, isValid: (inout Credential) -> Bool, _ waiter: @escaping Waiter) -> Decision
    {
        if let numbered = use(if: isValid) { return .use(numbered) }
        waiters[id] = waiter
        if refresh != nil { return .wait }
        return .make(replacing: current, refresh: begin())
    }

    mutating func change(_ change: (inout Credential) -> Void) {
        guard var credential = current else { return }
        change(&credential)
        current = credential
    }

    func isMaking(_ refresh: Int) -> Bool { refresh == self.refresh }

    mutating func leave(_ id: Int) -> Waiter? {
        waiters.removeValue(forKey: id)
    }

    mutating func end(
        _ refresh: Int, _ result: Result<Credential, any Error>
    ) -> ([Waiter], Result<Numbered, any Error>)? {
        guard refresh == self.refresh else { return nil }
        self.refresh = nil
        let waiters = takeWaiters()
        return (waiters, result.map { set($0, isRefreshed: true) })
    }

    /// Sets the credential. If it is `nil`, waiters stay, and the caller must begin the returned token refresh, if any.
    mutating func replace(with credential: Credential?) -> (waiters: [Waiter], Numbered?, refresh: Int?) {
        refresh = nil
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
        let number = nextNumber()
        refresh = number
        return number
    }

    private mutating func takeWaiters() -> [Waiter] {
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }
}
