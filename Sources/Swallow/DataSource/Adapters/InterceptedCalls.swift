import Foundation

struct InterceptedCalls: Sendable {
    private(set) var hasEnded = false
    private var isSuspended = false
    private var calls: [Int: InterceptedCall] = [:]
    private(set) var lastID = 0
    private var forwarded: (id: Int, head: HTTPURLResponse)?
    private var reported: BaseDataTask?

    var base: BaseDataTask? { calls[forwarded?.id ?? lastID]?.base ?? reported }

    mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    mutating func add(_ call: InterceptedCall, _ id: Int) -> BaseDataTask? {
        if hasEnded { return nil }
        calls[id] = call
        _ = call.base.record { $0.inParts = true }
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

    mutating func setSuspended(_ isSuspended: Bool) -> [BaseDataTask.PendingCall] {
        self.isSuspended = isSuspended
        return calls.keys.compactMap { recordFlow($0) }
    }

    private func recordFlow(_ id: Int) -> BaseDataTask.PendingCall? {
        guard let call = calls[id] else { return nil }
        let isPaused = isSuspended || call.isUnread && forwarded?.id != id
        return call.base.record { $0.pause = isPaused ? .all : .none }
    }
}

extension InterceptedCalls {
    mutating func read(
        _ id: Int, _ reader: InterceptedCall.Reader
    ) -> (result: DataTaskResult?, pendingCall: BaseDataTask.PendingCall?) {
        guard calls[id] != nil else { return (.failure(CancellationError()), nil) }
        return (calls[id]?.read(reader), recordFlow(id))
    }

    struct Forwarding {
        let parts: [ResponsePart]
        let result: DataTaskResult?
        let others: [InterceptedCall]
        let pendingCall: BaseDataTask.PendingCall?
    }

    mutating func forward(_ id: Int, _ head: HTTPURLResponse) -> Forwarding? {
        guard var call = calls.removeValue(forKey: id) else { return nil }
        let (others, body) = (Array(calls.values), call.takeBody())
        calls = [id: call]
        forwarded = (id, head)
        let result = call.result.map { $0.error == nil ? DataTaskResult(Data(), head, nil) : $0 }
        return Forwarding(
            parts: [.head(head), .bytes(body)], result: result, others: others, pendingCall: recordFlow(id))
    }

    mutating func receive(
        _ part: ResponsePart, _ id: Int
    ) -> (deliveries: InterceptedCall.Deliveries, pendingCall: BaseDataTask.PendingCall?) {
        let deliveries = calls[id]?.receive(part) ?? .init()
        return (deliveries, recordFlow(id))
    }

    mutating func count(_ part: ResponsePart, _ id: Int) { calls[id]?.count(part) }

    func byteCount(_ id: Int) -> Int { calls[id]?.byteCount ?? 0 }

    struct Completion {
        var deliveries = InterceptedCall.Deliveries()
        var taskResult: DataTaskResult?
        var call: InterceptedCall?
        /// Released outside the lock, because it may own an app's data task.
        let replaced: BaseDataTask?
    }

    mutating func receive(_ result: DataTaskResult, _ id: Int) -> Completion {
        var completion = Completion(replaced: reported)
        if forwarded?.id ?? id == id { reported = calls[id]?.base ?? reported }
        if let forwarded, forwarded.id == id {
            completion.taskResult =
                result.error.map { DataTaskResult.failure($0) }
                ?? DataTaskResult(result.data ?? Data(), forwarded.head, nil)
            completion.call = remove(id)
        } else {
            completion.deliveries = calls[id]?.receive(result) ?? .init()
            if completion.deliveries.isComplete { completion.call = remove(id) }
        }
        return completion
    }
}

struct InterceptedCall: Sendable {
    enum Outcome: Sendable {
        case head(HTTPURLResponse)
        /// The complete result, if no head was delivered before it.
        case end(DataTaskResult)
    }

    typealias Caller = CheckedContinuation<Outcome, Never>
    typealias Reader = CheckedContinuation<DataTaskResult, Never>

    struct Deliveries: Sendable {
        var caller: (Caller, Outcome)?
        var readers: [Reader] = []
        var result = DataTaskResult(nil, nil, nil)

        var isComplete: Bool { if case .end = caller?.1 { true } else { false } }

        func deliver() {
            if let (caller, outcome) = caller { caller.resume(returning: outcome) }
            for reader in readers { reader.resume(returning: result) }
        }
    }

    let base = BaseDataTask()
    private var caller: Caller?
    private var readers: [Reader] = []
    private var body = Data()
    private(set) var byteCount = 0
    private(set) var result: DataTaskResult?

    init(_ caller: Caller) {
        self.caller = caller
    }

    var isUnread: Bool { caller == nil && readers.isEmpty }

    mutating func count(_ part: ResponsePart) {
        if case .bytes(let bytes) = part { byteCount += bytes.count }
    }

    mutating func receive(_ part: ResponsePart) -> Deliveries {
        guard result == nil else { return Deliveries() }
        count(part)
        switch part {
        case .head(let head): return Deliveries(caller: caller.take().map { ($0, .head(head)) })
        case .bytes(let bytes):
            if body.isEmpty { body = bytes } else { body.append(bytes) }
            return Deliveries()
        }
    }

    mutating func receive(_ new: DataTaskResult) -> Deliveries {
        guard result == nil else { return Deliveries() }
        if let data = new.data { body.append(data) }
        let complete = new.error == nil ? DataTaskResult(body, new.response, nil) : new
        result = complete
        defer { readers = [] }
        return Deliveries(caller: caller.take().map { ($0, .end(new)) }, readers: readers, result: complete)
    }

    mutating func takeBody() -> Data {
        defer { body = Data() }
        return body
    }

    mutating func read(_ reader: Reader) -> DataTaskResult? {
        if let result { return result }
        readers.append(reader)
        return nil
    }
}

/// The body of an intercepted response. If it is released before the interceptor returns it, its transfer is cancelled.
final class InterceptedBody: Sendable {
    let operation: InterceptOperation
    let call: Int

    init(_ operation: InterceptOperation, call: Int) {
        (self.operation, self.call) = (operation, call)
    }

    deinit {
        operation.drop(call)
    }
}
