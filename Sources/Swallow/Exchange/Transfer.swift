import Foundation
import SwallowLock

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

typealias BodyDelivery = SwallowLock.BodyDelivery
typealias HeadAnswer = SwallowLock.HeadAnswer

/// One HTTP request on the wire.
///
/// A transfer isn't a ``DataTask``, because its owner keeps the order of the calls. The functions may be called on any
/// thread. They call the owner only after they have returned, except in ``DataTaskTransfer``.
protocol Transfer: AnyObject, Sendable {
    /// Sends the request. Called at most once.
    func start(_ delivery: BodyDelivery)

    /// Delivers the body in parts from now on, beginning with the bytes collected so far. May precede `start(_:)`.
    func deliverParts()

    /// Ignores the change if a later one is known, because two threads may make their calls in the wrong order.
    func setPaused(_ isPaused: Bool, change: Int)

    /// Only called if the owner returned `.later`, which only transfers with an event loop support.
    func answer(_ answer: HeadAnswer)

    /// No call to the owner follows.
    func cancel()

    /// The owner receives the error as the transfer's completion.
    func fail(with error: any Error)

    /// The metrics and trailers are available after the completion.
    var facts: TransferFacts { get }
}

extension Transfer {
    func answer(_ answer: HeadAnswer) {}
}

enum TransferResult: Sendable {
    /// The complete body, or the rest of it if the body was delivered in parts.
    case success(Data)
    /// The error, and the head if it arrived together with the error.
    case failure(any Error, ResponseHead?)
}

/// Receives the head, the body parts and the completion of a transfer, one at a time.
protocol TransferOwner: AnyObject, Sendable {
    func receiveHead(_ head: ResponseHead, from number: Int) -> HeadAnswer
    func receiveBodyPart(_ bodyPart: Data, from number: Int) -> Flow
    func complete(_ result: TransferResult, from number: Int)
    /// Called when a request's body was replaced by a body that can be sent again.
    func replaceRequest(_ request: URLRequest, of number: Int)
}

struct TransferReceiver: Sendable {
    let owner: any TransferOwner
    let number: Int

    func receiveHead(_ head: ResponseHead) -> HeadAnswer { owner.receiveHead(head, from: number) }
    func receiveBodyPart(_ bodyPart: Data) -> Flow { owner.receiveBodyPart(bodyPart, from: number) }
    func complete(_ result: TransferResult) { owner.complete(result, from: number) }
    func replaceRequest(_ request: URLRequest) { owner.replaceRequest(request, of: number) }
}

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
    /// The number of the latest call of `setPaused`.
    private(set) var latestChange = 0

    init(_ receiver: TransferReceiver) {
        self.receiver = receiver
    }

    var isAwaitingHead: Bool { if case .awaitingHead = phase { true } else { false } }
    var isAccepted: Bool { if case .accepted = phase { true } else { false } }
    var isOver: Bool { if case .over = phase { true } else { false } }

    /// Returns `false` if a later change is known.
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

    mutating func endPauses() { (isPaused, latestChange) = (false, .max) }

    /// Returns whether the transfer has to be cancelled, because a paused transfer would never drain its body. The
    /// caller releases the receiver outside the lock.
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

    mutating func end() -> TransferReceiver? {
        phase = .over
        return receiver.take()
    }
}
