import Foundation
import SwallowLock

typealias HeadAnswer = SwallowLock.HeadAnswer

/// One HTTP request on the wire. The owner makes one call at a time, except `answer` and `fail`. A transfer calls the
/// owner only after these functions have returned, except a ``DataTaskTransfer``.
protocol Transfer: AnyObject, Sendable {
    func start(inParts: Bool)
    /// Delivers the body in parts from now on, beginning with the bytes collected so far.
    func deliverParts()
    func setPaused(_ isPaused: Bool)
    /// Only called if the owner returned `.later`, which only transfers with an event loop support.
    func answer(_ answer: HeadAnswer)
    /// No call to the owner follows.
    func cancel()
    /// The owner receives the error as the transfer's completion. Only called for a transfer of an ``AttemptPermit``.
    func fail(with error: any Error)
    var facts: TransferFacts { get }
}

extension Transfer {
    func answer(_ answer: HeadAnswer) {}
    func fail(with error: any Error) {}
}

/// The metrics and trailers are available after the completion.
package struct TransferFacts: Sendable {
    package var progress: TransferProgress
    package var metrics: TransferMetrics?
    package var trailers: Headers

    package init(
        progress: TransferProgress = TransferProgress(), metrics: TransferMetrics? = nil,
        trailers: Headers = [:]
    ) {
        (self.progress, self.metrics, self.trailers) = (progress, metrics, trailers)
    }
}

enum TransferResult: Sendable {
    /// The complete body, or the rest of it if the body was delivered in parts.
    case success(Data)
    case failure(any Error, ResponseHead?)
}

/// Receives the head, the body parts and the completion of a transfer, one at a time.
protocol TransferOwner: AnyObject, Sendable {
    func receiveHead(_ head: ResponseHead, from number: Int) -> HeadAnswer
    func receiveBodyPart(_ bodyPart: Data, from number: Int) -> Flow
    func receiveCompletion(_ result: TransferResult, from number: Int)
    /// Called when a request's body was replaced by a body that can be sent again.
    func replaceRequest(_ request: URLRequest, of number: Int)
}

struct TransferReceiver: Sendable {
    let owner: any TransferOwner
    let number: Int

    func receiveHead(_ head: ResponseHead) -> HeadAnswer { owner.receiveHead(head, from: number) }
    func receiveBodyPart(_ bodyPart: Data) -> Flow { owner.receiveBodyPart(bodyPart, from: number) }
    func receiveCompletion(_ result: TransferResult) { owner.receiveCompletion(result, from: number) }
    func replaceRequest(_ request: URLRequest) { owner.replaceRequest(request, of: number) }
}

/// The state of a transfer without an event loop.
struct TransferState: Sendable {
    enum Phase: Sendable {
        case awaitingHead
        case accepted
        case draining(dropped: Int)
        case over
    }

    var phase = Phase.awaitingHead
    /// `nil` after the last event, so that the owner and the transfer don't keep each other alive.
    private(set) var receiver: TransferReceiver?
    private(set) var isPaused = false
    private(set) var pauseChanges = 0

    init(_ receiver: TransferReceiver) {
        self.receiver = receiver
    }

    var isAwaitingHead: Bool { if case .awaitingHead = phase { true } else { false } }
    var isAccepted: Bool { if case .accepted = phase { true } else { false } }
    var isOver: Bool { if case .over = phase { true } else { false } }

    mutating func setPaused(_ isPaused: Bool) {
        self.isPaused = isPaused
        pauseChanges += 1
    }

    /// Pauses the transfer because its owner is full. Returns `false` if the owner has called `setPaused` in between.
    mutating func fill(since changes: Int) -> Bool {
        guard pauseChanges == changes else { return false }
        isPaused = true
        return true
    }

    /// `isStuck` means that the transfer has to be cancelled, because a paused transfer would never drain its body.
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
