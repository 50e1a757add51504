import Foundation

/// One HTTP request and its response on the wire. The calls to an exchange's current transfer don't overlap, except
/// `answer` and `fail`. Must not keep the receiver alive after the last event.
protocol Transfer: AnyObject, Sendable {
    func start(inParts: Bool, for receiver: TransferReceiver)
    func deliverParts()
    func setPause(_ pause: TransferPause)
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

/// Orders the calls to a transfer or a data task, so that they never overlap. Its owner keeps this value under a lock.
/// The thread that receives a call makes it outside the lock, and then makes each call that `next` returns after it.
package struct TransferCalls: Sendable {
    package enum Call: Sendable, Equatable {
        case start(inParts: Bool)
        case deliverParts
        case setPause(TransferPause)
        case cancel
    }

    package struct Course: Sendable {
        /// A paused transfer isn't started.
        package var pause = TransferPause.all
        package var inParts = false
        package var isCancelled = false
    }

    /// Whether a thread is making a call. Other threads then make no call.
    package private(set) var isCalling = false
    /// The state to which the calls lead. `nil` before the first call.
    private var reached: Course?

    package init() {}

    /// Notes that the owner has no more calls to make, because the transfer is complete.
    package mutating func end() { reached = Course(isCancelled: true) }

    /// Notes that the owner has paused the receiving side by returning `.pause`, so that no call has to pause it.
    mutating func notePause() {
        if reached?.pause == TransferPause.none { reached?.pause = .receiving }
    }

    /// Returns the next call, if any. With `afterCall`, the thread has made the last call. Otherwise, returns `nil` while
    /// another thread makes a call.
    package mutating func next(toward wanted: Course, afterCall: Bool = false) -> Call? {
        guard isCalling == afterCall else { return nil }
        let call = call(toward: wanted)
        isCalling = call != nil
        return call
    }

    private mutating func call(toward wanted: Course) -> Call? {
        if let reached, reached.isCancelled { return nil }
        if wanted.isCancelled {
            reached = wanted
            return .cancel
        }
        guard let last = reached else {
            if wanted.pause != .none { return nil }
            reached = wanted
            return .start(inParts: wanted.inParts)
        }
        if wanted.inParts, !last.inParts {
            reached?.inParts = true
            return .deliverParts
        }
        if wanted.pause == last.pause { return nil }
        reached?.pause = wanted.pause
        return .setPause(wanted.pause)
    }
}
