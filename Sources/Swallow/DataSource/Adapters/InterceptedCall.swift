import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request that an interceptor sends to the base, the callers that wait for it, and the response so far.
struct InterceptedCall: Sendable {
    enum Answer: Sendable {
        case head(HTTPURLResponse)
        /// The base doesn't stream, or has failed before the head.
        case end(Ending)
    }

    typealias Caller = CheckedContinuation<Answer, Never>
    typealias Reader = CheckedContinuation<Ending, Never>

    /// The results for the waiting callers, who are resumed outside the lock.
    struct Answers: Sendable {
        var caller: (Caller, Answer)?
        var readers: [Reader] = []
        var ending = Ending(nil, nil, nil)

        /// Whether `next(request)` returns the complete response, so that the call isn't needed any more.
        var isComplete: Bool { if case .end = caller?.1 { true } else { false } }

        func give() {
            if let (caller, answer) = caller { caller.resume(returning: answer) }
            for reader in readers { reader.resume(returning: ending) }
        }
    }

    let base = BaseDataTask()
    private var caller: Caller?
    private var readers: [Reader] = []
    private(set) var body = Data()
    private(set) var ending: Ending?

    init(_ caller: Caller) {
        self.caller = caller
    }

    /// Whether the base is paused, because the interceptor has the head but doesn't read the body.
    var isHeld: Bool { caller == nil && readers.isEmpty }

    mutating func receive(_ part: ResponsePart) -> Answers {
        guard ending == nil else { return Answers() }
        switch part {
        case .head(let head): return Answers(caller: caller.take().map { ($0, .head(head)) })
        case .bytes(let bytes):
            if body.isEmpty { body = bytes } else { body.append(bytes) }
            return Answers()
        }
    }

    mutating func receive(_ new: Ending) -> Answers {
        guard ending == nil else { return Answers() }
        if let data = new.data { body.append(data) }
        let complete = new.error == nil ? Ending(body, new.response, nil) : new
        ending = complete
        defer { readers = [] }
        return Answers(caller: caller.take().map { ($0, .end(new)) }, readers: readers, ending: complete)
    }

    mutating func takeBody() -> Data {
        defer { body = Data() }
        return body
    }

    mutating func read(_ reader: Reader) -> Ending? {
        if let ending { return ending }
        readers.append(reader)
        return nil
    }
}

/// The body of an intercepted response. When the last copy is released, the rest of the transfer is cancelled.
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
