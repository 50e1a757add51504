import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request of an interceptor's to the base: who waits for it, and what has come of its response.
struct InterceptedCall: Sendable {
    /// What `next(request)` waits for.
    enum Answer: Sendable {
        case head(HTTPURLResponse)
        /// The end, of a base that doesn't stream or that failed before the head.
        case end(Ending)
    }

    typealias Caller = CheckedContinuation<Answer, Never>
    typealias Reader = CheckedContinuation<Ending, Never>

    /// What those who wait are to be told, outside the lock.
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
    /// The end, with what the body has been since it was last taken.
    private(set) var ending: Ending?

    /// How many bytes of the body are kept in memory.
    private let limit: Int

    init(_ caller: Caller, limit: Int) {
        self.caller = caller
        self.limit = limit
    }

    /// Whether more of a body has come than is kept.
    var isTooLarge: Bool { body.count > limit }

    /// Takes a part. From its head on, a response waits until its body is wanted.
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

    /// Lets the body come; returns the end where it is here.
    mutating func read(_ reader: Reader) -> Ending? {
        if let ending { return ending }
        readers.append(reader)
        control.hold(false)
        return nil
    }

    /// Takes what has come of the body, for the task.
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
