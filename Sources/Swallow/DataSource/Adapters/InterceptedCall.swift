import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request that an interceptor sends to the base: who waits for it, and the response as far as it has come.
struct InterceptedCall: Sendable {
    /// What `next(request)` waits for.
    enum Answer: Sendable {
        case head(HTTPURLResponse)
        /// The end, of a base that doesn't stream or that failed before the head.
        case end(Ending)
    }

    typealias Caller = CheckedContinuation<Answer, Never>
    typealias Reader = CheckedContinuation<Ending, Never>

    /// The results for the waiting callers, to be given outside the lock.
    struct Answers: Sendable {
        var caller: (Caller, Answer)?
        var readers: [Reader] = []
        var ending = Ending(nil, nil, nil)

        /// Whether the call isn't needed any more.
        var isLast: Bool { if case .end = caller?.1 { true } else { false } }

        func give() {
            if let (caller, answer) = caller { caller.resume(returning: answer) }
            for reader in readers { reader.resume(returning: ending) }
        }
    }

    var control = CarrierControl()
    private var caller: Caller?
    private var readers: [Reader] = []
    private var body = Data()
    /// The end, with the bytes of the body that were not taken before.
    private(set) var ending: Ending?

    /// How many bytes of the body may be in memory.
    private let limit: Int

    init(_ caller: Caller, limit: Int) {
        self.caller = caller
        self.limit = limit
    }

    /// Whether more of the body has come than may be in memory.
    var isTooLarge: Bool { body.count > limit }

    /// Takes a part. After the head, the base is paused until the body is read.
    mutating func receive(_ part: ResponsePart) -> Answers {
        guard ending == nil else { return Answers() }
        switch part {
        case .head(let head):
            guard let caller = caller.take() else { return Answers() }
            control.hold(true)
            return Answers(caller: (caller, .head(head)))
        case .bytes(let bytes):
            if body.isEmpty { body = bytes } else { body.append(bytes) }
            return Answers()
        }
    }

    /// Takes the end; the first one counts.
    mutating func receive(_ new: Ending) -> Answers {
        guard ending == nil else { return Answers() }
        if let data = new.data { body.append(data) }
        let known = new.error == nil ? Ending(body, new.response, nil) : new
        ending = known
        defer { readers = [] }
        return Answers(caller: caller.take().map { ($0, .end(new)) }, readers: readers, ending: known)
    }

    /// Starts reading the body; returns the end if it is here already.
    mutating func read(_ reader: Reader) -> Ending? {
        if let ending { return ending }
        readers.append(reader)
        control.hold(false)
        return nil
    }

    /// Takes the bytes received so far, for the task.
    mutating func takeBody() -> Data {
        defer { body = Data() }
        return body
    }
}

/// The body of a response that an interceptor has: dropping its last copy cancels the rest of the transfer.
final class InterceptedBody: Sendable {
    let task: InterceptingDataTask
    let call: Int

    init(task: InterceptingDataTask, call: Int) {
        self.task = task
        self.call = call
    }

    deinit {
        task.drop(call)
    }
}
