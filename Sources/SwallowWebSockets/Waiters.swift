import Swallow

struct Waiters: Sendable {
    fileprivate var continuations: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastNumber = 0

    var isEmpty: Bool { continuations.isEmpty }

    /// Returns the continuations, to resume outside the lock. Each waiter then checks its condition again.
    mutating func takeAll() -> [CheckedContinuation<Void, Never>] {
        defer { continuations = [:] }
        return Array(continuations.values)
    }

    fileprivate mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

protocol AwaitedState: Sendable {
    var waiters: Waiters { get set }
}

extension Lock where Value: AwaitedState {
    func resumeWaiters() {
        for waiter in withLock({ $0.waiters.takeAll() }) { waiter.resume() }
    }

    /// Returns when the condition is true, or when the Swift task is cancelled.
    func wait(until isTrue: @escaping @Sendable (Value) -> Bool) async {
        let number = withLock { $0.waiters.nextNumber() }
        await withTaskCancellationHandler {
            while !Task.isCancelled, !withLock({ isTrue($0) }) {
                await withCheckedContinuation { continuation in
                    let mustWait = withLock { state in
                        if isTrue(state) || Task.isCancelled { return false }
                        state.waiters.continuations[number] = continuation
                        return true
                    }
                    if !mustWait { continuation.resume() }
                }
            }
        } onCancel: {
            withLock { $0.waiters.continuations.removeValue(forKey: number) }?.resume()
        }
    }
}
