import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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

    /// Delivers the decision about a head for which the owner returned `.later`.
    func answer(_ answer: HeadAnswer)

    /// Cancels the transfer. No call to the owner follows.
    func cancel()

    /// Fails the transfer with an error. The owner receives it as the transfer's completion.
    func fail(with error: any Error)

    /// The transfer's progress, metrics and trailers. The metrics and trailers are available after the completion.
    var facts: TransferFacts { get }
}

/// How the owner of a transfer wants the body.
enum BodyDelivery: Sendable {
    /// The complete body arrives with the completion.
    case collected
    /// Body parts arrive as they are received.
    case parts
}

/// What happens to the body after a head.
enum HeadAnswer: Sendable {
    /// The body is delivered.
    case accept
    /// The transfer reads and drops at most 64 KB of the body, so that the connection can be reused, and is cancelled
    /// otherwise. No call to the owner follows.
    case drain
    /// The owner calls `answer(_:)`. The transfer delivers nothing before that.
    case later
}

/// How a transfer completed.
enum TransferResult: Sendable {
    /// The complete body, or the rest of it if the body was delivered in parts.
    case success(Data)
    /// The error, with the head if the data source reported one that the owner hasn't received.
    case failure(any Error, ResponseHead?)
}

/// How many bytes of an unwanted body a transfer reads.
enum Draining {
    static let limit = 64 * 1024
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
