import Foundation

/// One HTTP request and its response on the wire. The calls to an exchange's current transfer don't overlap, except
/// `answer` and `fail`. Must not keep the receiver alive after the last event.
protocol Transfer: AnyObject, Sendable {
    func start(inParts: Bool, for receiver: TransferReceiver)
    func deliverParts()
    func setPaused(_ isPaused: Bool)
    func answer(_ answer: HeadAnswer)
    /// Ends the transfer without a completion.
    func cancel()
    /// Completes the transfer with an error, even before its start. Never called for a ``DataTaskTransfer``.
    func fail(with error: any Error, for receiver: TransferReceiver)
    var facts: TransferFacts { get }
}

extension Transfer {
    func answer(_ answer: HeadAnswer) {}
    func fail(with error: any Error, for receiver: TransferReceiver) {}
}

enum TransferResult: Sendable {
    /// The complete body, or the rest of it if the body was delivered in parts.
    case success(Data)
    case failure(any Error, ResponseHead?)
}

/// Passes the events of one transfer to the owner of its exchange. Events of a replaced transfer have no effect.
struct TransferReceiver: Sendable {
    let owner: any ExchangeOwner
    let number: Int

    func receiveHead(_ head: ResponseHead) -> HeadAnswer { owner.receiveHead(head, from: number) }
    func receiveBodyPart(_ bodyPart: Data) -> Flow { owner.receiveBodyPart(bodyPart, from: number) }
    /// A second call has no effect.
    func receiveCompletion(_ result: TransferResult) { owner.receiveCompletion(result, from: number) }

    /// Read before a collected body is dropped, because another thread may be about to call `deliverParts()`.
    var wantsParts: Bool { owner.withExchange { $0.takesBodyParts(from: number) && $0.deliversParts } }
    /// Whether the transfer is current and has delivered nothing yet.
    var isSending: Bool { owner.withExchange { $0.isSending(number) } }

    /// Called if the transfer has replaced the stream of the request's body, for example by the stream's bytes.
    func replaceRequest(_ request: URLRequest) {
        owner.withExchange { exchange in
            if exchange.number == number, exchange.request != nil { exchange.request = request }
        }
    }
}

/// Orders the calls to a transfer or a data task, so that they never overlap. The owner records changes under its lock.
/// The thread that receives a call makes it outside the lock, and then makes each call of `next()`.
package struct TransferCalls: Sendable {
    package enum Call: Sendable, Equatable {
        case start(inParts: Bool)
        case deliverParts
        case suspend
        case resume
        case cancel
    }

    private enum State: Sendable {
        case idle
        /// One thread is creating the data task or making a call. Other threads make no call.
        case calling
        case over
    }

    fileprivate struct Course: Sendable {
        enum Flow { case created, running, suspended, cancelled }

        var flow = Flow.created
        var inParts = false
    }

    private var state: State
    private var (done, wanted) = (Course(), Course())

    /// With `isCreating`, changes are only recorded until the owner has created the data task and calls `next()`.
    package init(isCreating: Bool = false) {
        state = isCreating ? .calling : .idle
    }

    package var isCalling: Bool { state == .calling }

    package var isOver: Bool { state == .over || wanted.flow == .cancelled }

    package mutating func resume() -> Call? { want { $0.flow = .running } }
    package mutating func suspend() -> Call? { want { $0.flow = .suspended } }
    package mutating func deliverParts() -> Call? { want { $0.inParts = true } }
    package mutating func cancel() -> Call? { want { $0.flow = .cancelled } }

    mutating func update(isPaused: Bool, inParts: Bool) -> Call? {
        want { course in
            course.flow = isPaused ? .suspended : .running
            course.inParts = course.inParts || inParts
        }
    }

    package mutating func end() { state = .over }

    /// Notes that the owner has paused a running transfer by returning `.pause`, so that no call has to pause it.
    mutating func notePause() {
        guard state != .over, done.flow == .running else { return }
        done.flow = .suspended
        if state == .idle { wanted.flow = .suspended }
    }

    package mutating func next() -> Call? { state == .calling ? advance() : nil }

    private mutating func want(_ change: (inout Course) -> Void) -> Call? {
        if isOver { return nil }
        change(&wanted)
        return state == .idle ? advance() : nil
    }

    private mutating func advance() -> Call? {
        let call = done.advance(to: wanted)
        state =
            switch call {
            case .cancel: .over
            case nil: .idle
            default: .calling
            }
        return call
    }
}

extension TransferCalls.Course {
    fileprivate mutating func advance(to wanted: TransferCalls.Course) -> TransferCalls.Call? {
        let isNew = inParts != wanted.inParts
        inParts = wanted.inParts
        switch (flow, wanted.flow) {
        case (_, .cancelled): return .cancel
        case (.created, .running):
            flow = .running
            return .start(inParts: inParts)
        case (.created, _): return nil
        case _ where isNew: return .deliverParts
        case (.running, .suspended):
            flow = .suspended
            return .suspend
        case (.suspended, .running):
            flow = .running
            return .resume
        default: return nil
        }
    }
}
