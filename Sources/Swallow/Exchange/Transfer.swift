import Foundation
import SwallowLock

typealias HeadAnswer = SwallowLock.HeadAnswer

/// One HTTP request and its response on the wire. The owner makes one call at a time, except `answer` and `fail`.
protocol Transfer: AnyObject, Sendable {
    func start(inParts: Bool)
    func deliverParts()
    func setPaused(_ isPaused: Bool)
    func answer(_ answer: HeadAnswer)
    /// Ends the transfer without a completion.
    func cancel()
    /// Completes the transfer with an error. Only called for a transfer that has an ``AttemptPermit``.
    func fail(with error: any Error)
    var facts: TransferFacts { get }
}

extension Transfer {
    func answer(_ answer: HeadAnswer) {}
    func fail(with error: any Error) {}
}

/// A transfer's progress and, after its completion, its metrics and trailers.
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

protocol TransferOwner: AnyObject, Sendable {
    func receiveHead(_ head: ResponseHead, from number: Int) -> HeadAnswer
    func receiveBodyPart(_ bodyPart: Data, from number: Int) -> Flow
    /// Called before a collected body exceeds its limit, because another thread may be about to call `deliverParts()`.
    func wantsParts(from number: Int) -> Bool
    func receiveCompletion(_ result: TransferResult, from number: Int)
    /// Called if the transfer has replaced the stream of the request's body, for example by the stream's bytes.
    func replaceRequest(_ request: URLRequest, of number: Int)
}

struct TransferReceiver: Sendable {
    let owner: any TransferOwner
    let number: Int

    func receiveHead(_ head: ResponseHead) -> HeadAnswer { owner.receiveHead(head, from: number) }
    func receiveBodyPart(_ bodyPart: Data) -> Flow { owner.receiveBodyPart(bodyPart, from: number) }
    var wantsParts: Bool { owner.wantsParts(from: number) }
    func receiveCompletion(_ result: TransferResult) { owner.receiveCompletion(result, from: number) }
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

    /// Pauses the transfer after its owner returned `.pause`. Returns `false` if `setPaused` was called in between.
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
