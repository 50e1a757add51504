import Foundation

final class HandlerSink: BodySink {
    typealias Handler = @Sendable (Data) throws -> Void

    private enum Element {
        case bodyPart(Data)
        case end(Completion)
    }

    private struct State: Sendable {
        var handler: Handler?
        var queue = BodyPartQueue<Element>()
        var owner: SinkOwner?
    }

    private let queue: DispatchQueue
    private let state: Lock<State>

    init(_ queue: DispatchQueue, _ handler: @escaping Handler) {
        self.queue = queue
        state = Lock(State(handler: handler))
    }

    var receivesFailure: Bool { false }

    func begin(_ head: HTTPURLResponse, for owner: SinkOwner) {
        state.withLock { $0.owner = owner }
    }

    var flow: Flow { state.withLock { $0.queue.flow } }

    func receive(_ bodyPart: Data) { add(.bodyPart(bodyPart), byteCount: bodyPart.count) }

    func complete(_ completion: @escaping Completion) { add(.end(completion)) }

    private func add(_ element: Element, byteCount: Int = 0) {
        let startsConsumer = state.withLock { state in
            if state.handler == nil { return false }
            state.queue.add(element, byteCount: byteCount)
            return state.queue.startConsumer()
        }
        if startsConsumer { queue.async { self.consume() } }
    }

    func fail(with error: ServiceError, completion: @escaping @Sendable () -> Void) {
        stop()
        completion()
    }

    func receiveCollectedBody(_ bytes: Data, after head: HTTPURLResponse) throws {
        let handler = state.withLock { $0.handler.take() }
        if !bytes.isEmpty { try handler?(bytes) }
    }
}

extension HandlerSink {
    private func consume() {
        while true {
            let (element, handler, owner, hasRoom) = state.withLock { state in
                let (element, hasRoom) = state.queue.take()
                return (element, state.handler, state.owner, hasRoom)
            }
            if hasRoom { owner?.sinkHasRoom() }
            switch element {
            case nil: return
            case .end(let completion):
                stop()
                completion(.success(Entity(content: Data())))
            case .bodyPart(let bodyPart):
                // The handler isn't called after `cancel()`, which completes the exchange before it calls `fail`.
                guard let handler, owner?.isTaskComplete != true else { continue }
                do {
                    try handler(bodyPart)
                } catch {
                    stop()
                    owner?.fail(with: ServiceError(thrown: error))
                }
                // Only one body part in each turn of the main queue, so that other work has its turn.
                if queue.isMain { return queue.async { self.consume() } }
            }
        }
    }

    private func stop() {
        let dropped = state.withLock { ($0.handler.take(), $0.queue.removeAll()) }
        withExtendedLifetime(dropped) {}
    }
}

extension ServiceTask {
    /// Passes each part of the body, as it arrives, to a handler on the main actor, one at a time.
    ///
    /// Later handlers run after the last part. They receive no bytes, unless the body was already in memory. If the
    /// handler throws, the chain fails and the transfer is cancelled. If the transfer fails, parts that wait for the
    /// handler are dropped, unlike in a loop over ``body``. If another stream handler, a ``body`` or a download already
    /// receives the body, the chain fails with `.invalidRequest`.
    @discardableResult
    public func responseStream(_ handler: @escaping @MainActor (Data) throws -> Void) -> Self {
        responseStream(.mainActor) { part in try MainActor.assumeIsolated { try handler(part) } }
    }

    /// Passes each part of the body, as it arrives, to a handler on a queue, one at a time. See ``responseStream(_:)``.
    @discardableResult
    public func responseStream(
        _ queue: DispatchQueue, _ handler: @escaping @Sendable (Data) throws -> Void
    ) -> Self {
        do throws(ServiceError) {
            try writeBody(to: HandlerSink(queue, handler), on: queue)
        } catch {
            attach(HandlerLink(queue, .head) { _ in throw error })
        }
        return self
    }
}
