import Foundation
import SwallowLock

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

typealias BodyDelivery = SwallowLock.BodyDelivery
typealias HeadAnswer = SwallowLock.HeadAnswer

/// One HTTP request on the wire.
///
/// A transfer isn't a ``DataTask``: it makes no promise about queues, and its owner keeps the order of the calls. Its
/// functions may be called on any thread, and call no function of the owner's before they return, except those of
/// ``DataTaskTransfer``, which call an app's data task.
protocol Transfer: AnyObject, Sendable {
    /// Sends the request. Called at most once.
    func start(_ delivery: BodyDelivery)

    /// Delivers the body in parts from now on, although the transfer was started with `.collected`. The bytes collected
    /// so far are the first part. May be called before `start(_:)`.
    func deliverParts()

    /// Pauses or resumes the transfer.
    ///
    /// - Parameter change: The number of this change. The transfer ignores the change if it already knows a later one,
    ///   because two threads may make their calls in another order than the exchange decided.
    func setPaused(_ isPaused: Bool, change: Int)

    /// Delivers the decision about a head for which the owner returned `.later`. Only transfers with an event loop
    /// implement this.
    func answer(_ answer: HeadAnswer)

    /// Cancels the transfer. No call to the owner follows.
    func cancel()

    /// Fails the transfer with an error. The owner receives it as the transfer's completion.
    func fail(with error: any Error)

    /// The transfer's progress, metrics and trailers. The metrics and trailers are available after the completion.
    var facts: TransferFacts { get }
}

extension Transfer {
    func answer(_ answer: HeadAnswer) {}
}

/// How a transfer completed.
enum TransferResult: Sendable {
    /// The complete body, or the rest of it if the body was delivered in parts.
    case success(Data)
    /// The error, with the head if the data source reported one that the owner hasn't received.
    case failure(any Error, ResponseHead?)
}

/// Receives a transfer's events, one at a time: the head, body parts, and the completion.
protocol TransferOwner: AnyObject, Sendable {
    func receiveHead(_ head: ResponseHead, from number: Int) -> HeadAnswer
    func receiveBodyPart(_ bodyPart: Data, from number: Int) -> Flow
    func complete(_ result: TransferResult, from number: Int)
    /// Replaces the request of a transfer, because its body is now one that can be sent again.
    func replaceRequest(_ request: URLRequest, of number: Int)
}

/// The owner of a transfer, with the transfer's number among the transfers of the exchange.
struct TransferReceiver: Sendable {
    let owner: any TransferOwner
    let number: Int

    func receiveHead(_ head: ResponseHead) -> HeadAnswer { owner.receiveHead(head, from: number) }
    func receiveBodyPart(_ bodyPart: Data) -> Flow { owner.receiveBodyPart(bodyPart, from: number) }
    func complete(_ result: TransferResult) { owner.complete(result, from: number) }
    func replaceRequest(_ request: URLRequest) { owner.replaceRequest(request, of: number) }
}

/// The state of a transfer whose owner decides about the head in `receiveHead(_:)`.
struct TransferState: Sendable {
    enum Phase: Sendable {
        case awaitingHead
        case accepted
        case draining(dropped: Int)
        case over
    }

    var phase = Phase.awaitingHead
    /// `nil` after the last event, so that the owner and the transfer don't keep each other alive.
    var receiver: TransferReceiver?
    private(set) var isPaused = false
    /// The number of the latest change between pause and resume.
    private(set) var latestChange = 0

    init(_ receiver: TransferReceiver) {
        self.receiver = receiver
    }

    var isAwaitingHead: Bool { if case .awaitingHead = phase { true } else { false } }
    var isAccepted: Bool { if case .accepted = phase { true } else { false } }
    var isOver: Bool { if case .over = phase { true } else { false } }

    /// Pauses or resumes the transfer. Returns `false` if a later change is known.
    mutating func setPaused(_ isPaused: Bool, change: Int) -> Bool {
        guard change > latestChange, receiver != nil else { return false }
        (latestChange, self.isPaused) = (change, isPaused)
        return true
    }

    /// Pauses the transfer because its owner is full. Returns `false` if the owner has resumed it since a change.
    mutating func fill(since change: Int) -> Bool {
        guard latestChange == change, change < .max else { return false }
        isPaused = true
        return true
    }

    /// Resumes the transfer forever, so that it fails.
    mutating func endPauses() { (isPaused, latestChange) = (false, .max) }

    /// Records the decision about the head.
    ///
    /// - Returns: Whether the transfer has to be cancelled, because it is paused and drained. It would wait forever for
    ///   its resume. The receiver is to be released outside the lock.
    mutating func take(_ answer: HeadAnswer) -> (isStuck: Bool, TransferReceiver?) {
        if isOver { return (false, nil) }
        phase = answer == .accept ? .accepted : .draining(dropped: 0)
        return answer == .accept ? (false, nil) : (isPaused, receiver.take())
    }

    /// Drops the bytes of a drained transfer. Returns whether it has to be cancelled, because it has too many bytes.
    mutating func drop(_ bytes: Data) -> Bool {
        guard case .draining(var dropped) = phase else { return false }
        dropped += bytes.count
        phase = dropped > HeadAnswer.drainLimit ? .over : .draining(dropped: dropped)
        return isOver
    }

    /// Returns the receiver, to be released outside the lock.
    mutating func end() -> TransferReceiver? {
        phase = .over
        return receiver.take()
    }
}
