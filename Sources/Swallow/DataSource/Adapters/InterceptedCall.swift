import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request that an interceptor sends to the base, the code that waits for its response, and the response so far.
struct InterceptedCall: Sendable {
    /// The result of `next(request)`.
    enum Answer: Sendable {
        case head(HTTPURLResponse)
        /// The ending, if the base doesn't stream or has failed before the head.
        case end(Ending)
    }

    typealias Caller = CheckedContinuation<Answer, Never>
    typealias Reader = CheckedContinuation<Ending, Never>

    /// The results for the code that waits, to be given outside the lock.
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
    /// Waits for the head.
    private var caller: Caller?
    /// Wait for the complete body.
    private var readers: [Reader] = []
    private(set) var body = Data()
    /// The ending, with the complete body.
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

    /// Stores the first ending.
    mutating func receive(_ new: Ending) -> Answers {
        guard ending == nil else { return Answers() }
        if let data = new.data { body.append(data) }
        let complete = new.error == nil ? Ending(body, new.response, nil) : new
        ending = complete
        defer { readers = [] }
        return Answers(caller: caller.take().map { ($0, .end(new)) }, readers: readers, ending: complete)
    }

    /// Removes and returns the part of the body that has arrived.
    mutating func takeBody() -> Data {
        defer { body = Data() }
        return body
    }

    /// Starts reading the body. Returns the ending if it has arrived already.
    mutating func read(_ reader: Reader) -> Ending? {
        if let ending { return ending }
        readers.append(reader)
        return nil
    }
}

/// The body of a response that an interceptor has. When the last copy is released, the rest of the transfer is cancelled.
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
