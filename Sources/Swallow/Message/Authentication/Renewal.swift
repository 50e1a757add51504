import Foundation

/// A credential, and who waits for a new one: the decisions, without the calls.
struct RenewalState<Credential: Sendable>: Sendable {
    typealias Waiter = @Sendable (Result<Numbered, any Error>) -> Void

    struct Numbered: Sendable {
        var credential: Credential
        var number: Int
    }

    /// What to do for one who waits.
    enum Turn: Sendable {
        case use(Numbered)
        /// One is being made.
        case wait
        /// Make one in place of another.
        case make(replacing: Credential?, flight: Int)
    }

    private(set) var current: Numbered?
    private var lastNumber = 0
    private var isRefused = false
    /// The number of the making that is under way.
    private var flight: Int?
    private var lastFlight = 0
    private var waiters: [Int: Waiter] = [:]

    init(_ credential: Credential?) {
        if let credential { set(credential) }
    }

    /// The credential that isn't known to be of no use.
    var usable: Numbered? { isRefused ? nil : current }

    /// Takes note that a credential was refused; one that was replaced meanwhile doesn't matter.
    ///
    /// - Returns: whether another is there, or being made.
    @discardableResult
    mutating func refuse(_ number: Int) -> Bool {
        guard number == current?.number else { return true }
        isRefused = true
        return flight != nil
    }

    /// Puts a waiter in the queue, unless there is a credential.
    mutating func join(_ id: Int, isValid: (Credential) -> Bool, _ waiter: @escaping Waiter) -> Turn {
        if let usable, isValid(usable.credential) { return .use(usable) }
        waiters[id] = waiter
        if flight != nil { return .wait }
        return .make(replacing: current?.credential, flight: takeOff())
    }

    func isMaking(_ flight: Int) -> Bool { flight == self.flight }

    mutating func leave(_ id: Int) -> Waiter? {
        waiters.removeValue(forKey: id)
    }

    /// Takes what came of a making, unless its time is over.
    ///
    /// - Returns: those who waited, and what to tell them.
    mutating func land(
        _ flight: Int, _ result: Result<Credential, any Error>
    ) -> ([Waiter], Result<Numbered, any Error>)? {
        guard flight == self.flight else { return nil }
        self.flight = nil
        let waiters = takeWaiters()
        return (waiters, result.map { set($0) })
    }

    /// Takes a credential from outside, or takes it away.
    ///
    /// - Returns: those who waited, where there is one for them now; where there is none, the number of a making that has to
    ///   begin anew for them.
    mutating func replace(with credential: Credential?) -> (waiters: [Waiter], Numbered?, flight: Int?) {
        flight = nil
        isRefused = false
        current = nil
        if let credential { return (takeWaiters(), set(credential), nil) }
        return ([], nil, waiters.isEmpty ? nil : takeOff())
    }

    @discardableResult
    private mutating func set(_ credential: Credential) -> Numbered {
        lastNumber += 1
        let numbered = Numbered(credential: credential, number: lastNumber)
        current = numbered
        isRefused = false
        return numbered
    }

    private mutating func takeOff() -> Int {
        lastFlight += 1
        flight = lastFlight
        return lastFlight
    }

    private mutating func takeWaiters() -> [Waiter] {
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// A credential that is made once for all who wait for it.
final class Renewal<Credential: Sendable>: Sendable {
    typealias Numbered = RenewalState<Credential>.Numbered
    typealias Waiter = RenewalState<Credential>.Waiter

    typealias Make = @Sendable (_ replaced: Credential?, _ clock: any ServiceClock) async throws -> Credential

    private struct State: Sendable {
        var renewal: RenewalState<Credential>
        var lastID = 0
        /// Makes a credential.
        var work: Task<Void, Never>?
        /// The clock of who waited last.
        var clock: any ServiceClock = .system
    }

    private let state: Lock<State>
    private let make: Make

    init(_ credential: Credential?, _ make: @escaping Make) {
        state = Lock(State(renewal: RenewalState(credential)))
        self.make = make
    }

    /// What the time is by the clock of who waited last.
    var now: Date { state.withLock { $0.clock }.now }

    /// The one there is, if any, whatever became of it.
    var current: Credential? { state.withLock { $0.renewal.current?.credential } }

    /// The one there is, unless it was refused.
    var usable: Numbered? { state.withLock { $0.renewal.usable } }

    /// Takes note that a credential was refused.
    @discardableResult
    func refuse(_ number: Int) -> CredentialVerdict {
        state.withLock { $0.renewal.refuse(number) } ? .replaced : .refused
    }

    /// Gives the credential, or a new one.
    ///
    /// - Parameter isValid: says whether the one there is may be used.
    /// - Returns: what ends the wait.
    func get(_ clock: any ServiceClock, isValid: (Credential) -> Bool, _ waiter: @escaping Waiter)
        -> ScheduledWork
    {
        let id = nextID()
        join(id, clock, isValid: isValid, waiter)
        return ScheduledWork { [weak self] in self?.leave(id) }
    }

    /// Gives the credential, or a new one; ends the wait with a `CancellationError` when its Swift task is cancelled.
    func value(_ clock: any ServiceClock, isValid: @Sendable (Credential) -> Bool) async throws -> Numbered {
        let id = nextID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                join(id, clock, isValid: isValid) { continuation.resume(with: $0) }
                // A cancellation before it joined has found nothing to end.
                if Task.isCancelled { leave(id, CancellationError()) }
            }
        } onCancel: {
            leave(id, CancellationError())
        }
    }

    private func nextID() -> Int {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    private func join(
        _ id: Int, _ clock: any ServiceClock, isValid: (Credential) -> Bool, _ waiter: @escaping Waiter
    ) {
        let (turn, _) = state.withLock { state in
            let replaced = state.clock
            state.clock = clock
            return (state.renewal.join(id, isValid: isValid, waiter), replaced)
        }
        switch turn {
        case .use(let credential): waiter(.success(credential))
        case .wait: break
        case .make(let replaced, let flight): begin(flight, replacing: replaced, clock)
        }
    }

    private func leave(_ id: Int, _ error: (any Error)? = nil) {
        let waiter = state.withLock { $0.renewal.leave(id) }
        if let error { waiter?(.failure(error)) }
    }

    /// Takes a credential from outside, or takes it away.
    func replace(with credential: Credential?) {
        let (outcome, work, clock, _) = state.withLock { state in
            let replaced = state.renewal.current
            return (state.renewal.replace(with: credential), state.work.take(), state.clock, replaced)
        }
        work?.cancel()
        if let credential = outcome.1 { for waiter in outcome.waiters { waiter(.success(credential)) } }
        if let flight = outcome.flight { begin(flight, replacing: nil, clock) }
    }

    /// Makes a credential in a Swift task that no waiter's cancellation reaches.
    private func begin(_ flight: Int, replacing replaced: Credential?, _ clock: any ServiceClock) {
        let places = CredentialWork.places + [ObjectIdentifier(self)]
        let work = Task.detached(priority: .userInitiated) {
            let result = await CredentialWork.$places.withValue(places) {
                do {
                    return Result<Credential, any Error>.success(try await self.make(replaced, clock))
                } catch {
                    return .failure(error)
                }
            }
            self.land(flight, result)
        }
        let isWanted = state.withLock { state in
            guard state.renewal.isMaking(flight) else { return false }
            state.work = work
            return true
        }
        if !isWanted { work.cancel() }
    }

    private func land(_ flight: Int, _ result: Result<Credential, any Error>) {
        let (landing, _) = state.withLock { state in
            let replaced = state.renewal.current
            return (state.renewal.land(flight, result), replaced)
        }
        guard let (waiters, result) = landing else { return }
        for waiter in waiters { waiter(result) }
    }

    /// Whether this code belongs to the making of this credential.
    var isWorkingHere: Bool { CredentialWork.places.contains(ObjectIdentifier(self)) }

    /// Does work whose requests must not wait for this credential.
    func working<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        try await CredentialWork.$places.withValue(
            CredentialWork.places + [ObjectIdentifier(self)], operation: body)
    }
}

/// Where code that makes credentials runs: requests that it sends go out without them.
private enum CredentialWork {
    @TaskLocal static var places: [ObjectIdentifier] = []
}
