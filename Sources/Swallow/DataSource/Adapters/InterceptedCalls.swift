import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The requests of one interceptor, and whether their base data tasks should run. A lock protects this value.
struct InterceptedCalls: Sendable {
    private struct Forwarded: Sendable {
        let id: Int
        let head: HTTPURLResponse
        var byteCount: Int
    }

    private(set) var hasEnded = false
    private var isSuspended = false
    private var calls: [Int: InterceptedCall] = [:]
    private(set) var lastID = 0
    private var forwarded: Forwarded?
    /// A completed base data task, whose metrics are the task's metrics.
    private var reported: BaseDataTask?

    var base: BaseDataTask? { calls[forwarded?.id ?? lastID]?.base ?? reported }

    mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    mutating func add(_ call: InterceptedCall, _ id: Int) -> BaseDataTask? {
        if hasEnded { return nil }
        calls[id] = call
        // The base data task doesn't exist yet, so no call is due.
        _ = call.base.record { $0.deliverParts() }
        _ = recordFlow(id)
        return call.base
    }

    mutating func drop(_ id: Int) -> InterceptedCall? { forwarded?.id == id ? nil : remove(id) }

    mutating func remove(_ id: Int) -> InterceptedCall? { calls.removeValue(forKey: id) }

    mutating func end() -> [InterceptedCall] {
        (hasEnded, forwarded) = (true, nil)
        defer { calls = [:] }
        return Array(calls.values)
    }

    func isForwarded(_ id: Int) -> Bool { forwarded?.id == id }

    mutating func setSuspended(_ isSuspended: Bool) -> [BaseDataTask.DueCall] {
        self.isSuspended = isSuspended
        return calls.keys.compactMap { recordFlow($0) }
    }

    private func recordFlow(_ id: Int) -> BaseDataTask.DueCall? {
        guard let call = calls[id] else { return nil }
        let isPaused = isSuspended || call.isHeld && forwarded?.id != id
        return call.base.record { isPaused ? $0.suspend() : $0.resume() }
    }
}

// MARK: - Responses

extension InterceptedCalls {
    mutating func read(
        _ id: Int, _ reader: InterceptedCall.Reader
    ) -> (ending: Ending?, due: BaseDataTask.DueCall?) {
        guard calls[id] != nil else { return (.failure(CancellationError()), nil) }
        return (calls[id]?.read(reader), recordFlow(id))
    }

    struct Forwarding {
        let parts: [ResponsePart]
        let ending: Ending?
        let others: [InterceptedCall]
        let due: BaseDataTask.DueCall?
    }

    mutating func forward(_ id: Int, _ head: HTTPURLResponse) -> Forwarding? {
        guard var call = calls.removeValue(forKey: id) else { return nil }
        let (others, body) = (Array(calls.values), call.takeBody())
        calls = [id: call]
        forwarded = Forwarded(id: id, head: head, byteCount: body.count)
        let ending = call.ending.map { $0.error == nil ? Ending(Data(), head, nil) : $0 }
        return Forwarding(
            parts: [.head(head), .bytes(body)], ending: ending, others: others, due: recordFlow(id))
    }

    mutating func receive(
        _ part: ResponsePart, _ id: Int
    ) -> (answers: InterceptedCall.Answers, due: BaseDataTask.DueCall?) {
        let answers = calls[id]?.receive(part) ?? .init()
        return (answers, recordFlow(id))
    }

    mutating func count(_ part: ResponsePart) {
        if case .bytes(let bytes) = part { forwarded?.byteCount += bytes.count }
    }

    func byteCount(_ id: Int) -> Int {
        if let forwarded, forwarded.id == id { return forwarded.byteCount }
        return calls[id]?.body.count ?? 0
    }

    /// Returns the task's completion if the call is forwarded, and the call if it isn't needed anymore.
    mutating func receive(
        _ ending: Ending, _ id: Int
    ) -> (answers: InterceptedCall.Answers, taskEnding: Ending?, call: InterceptedCall?) {
        if forwarded?.id ?? id == id { reported = calls[id]?.base ?? reported }
        if let forwarded, forwarded.id == id {
            let taskEnding = ending.error.map { Ending.failure($0) }
            return (.init(), taskEnding ?? Ending(ending.data ?? Data(), forwarded.head, nil), remove(id))
        }
        let answers = calls[id]?.receive(ending) ?? .init()
        return (answers, nil, answers.isComplete ? remove(id) : nil)
    }
}
