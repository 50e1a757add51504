import Foundation
import Swallow

/// Sends one request over a simulated bad network. Body parts arrive in order, delayed by latency and bandwidth.
final class DegradedOperation<Base: SessionDataTaskDataSource>: DataTaskOperation, ResponseReceiver {
    private struct Delivery: Sendable {
        let size: Int
        let deliver: @Sendable (DataTaskOutput) -> Void
    }

    private struct State: Sendable {
        var connection: (conditions: DegradedNetwork.Conditions, clock: any ServiceClock)?
        var timer: ScheduledWork?
        var deliveries: [(arrival: Date, delivery: Delivery)] = []
        var lastArrival = Date.distantPast
        /// Also true while a timer waits for the next arrival.
        var isDelivering = false
        var received: Int64 = 0
        var isLost = false
    }

    private let request: URLRequest
    private let source: Base
    private let network: DegradedNetwork
    private let output: DataTaskOutput
    private let base = BaseDataTask()
    private let state = Lock(State())

    init(_ request: URLRequest, _ source: Base, _ network: DegradedNetwork, _ output: DataTaskOutput) {
        (self.request, self.source, self.network, self.output) = (request, source, network, output)
    }

    func start(inParts: Bool) {
        if inParts { base.deliverParts() }
        let (conditions, context) = (network.nextConditions(), TransferContext.current)
        let time = conditions.requestLatency + network.time(for: request.httpBody?.count ?? 0)
        guard time > .zero else { return reachServer(conditions, context) }
        let timer = TransferContext.currentClock.schedule(after: time) {
            self.reachServer(conditions, context)
        }
        store(timer) { $0.connection == nil }
    }

    func deliverParts() { base.deliverParts() }
    // Before the request reaches the server, `base` hasn't started, so there is nothing to suspend.
    func suspend() { if state.withLock({ $0.connection != nil }) { base.suspend() } }
    func resume() { base.resume() }

    func cancel() {
        let (timer, _) = state.withLock { state in
            defer { state.deliveries = [] }
            return (state.timer.take(), state.deliveries)
        }
        timer?.cancel()
        base.cancel()
    }

    var facts: TransferFacts {
        var facts = base.facts
        facts.progress.received = min(facts.progress.received, state.withLock { $0.received })
        return facts
    }

    private func reachServer(_ conditions: DegradedNetwork.Conditions, _ context: TransferContext) {
        if conditions.losesRequest { return Self.loss.deliver(output) }
        state.withLock { $0.connection = (conditions, context.clock ?? .system) }
        TransferContext.$current.withValue(context) {
            base.resume()
            base.send(request, to: source, for: self)
        }
    }

    private static var loss: Delivery {
        Delivery(size: 0) { $0.receive(.failure(URLError(.networkConnectionLost))) }
    }

    private func store(_ timer: ScheduledWork, if isNeeded: (State) -> Bool) {
        // The earlier timer is released outside the lock.
        _ = state.withLock { $0.timer.store(timer, if: isNeeded($0)) }
        if !output.isOpen { timer.cancel() }
    }
}

extension DegradedOperation {
    func receive(_ part: ResponsePart) {
        let size = if case .bytes(let bytes) = part { bytes.count } else { 0 }
        respond(Delivery(size: size) { $0.receive(part) })
    }

    func receive(_ result: DataTaskResult) {
        respond(Delivery(size: result.data?.count ?? 0) { $0.receive(result) })
    }

    private func respond(_ delivery: Delivery) {
        guard let (conditions, clock) = state.withLock({ $0.connection }) else { return }
        let earliest = clock.now.addingTimeInterval(conditions.responseLatency.seconds)
        state.withLock { state in
            if state.isLost { return }
            state.isLost = conditions.losesResponse
            let sent = state.isLost ? Self.loss : delivery
            let start = max(earliest, state.lastArrival)
            state.lastArrival = start.addingTimeInterval(network.time(for: sent.size).seconds)
            state.deliveries.append((state.lastArrival, sent))
        }
        deliverNext()
    }

    private func deliverNext() {
        let awaited = state.withLock { state -> (Date, any ServiceClock)? in
            guard !state.isDelivering, let next = state.deliveries.first, let connection = state.connection
            else { return nil }
            state.isDelivering = true
            return (next.arrival, connection.clock)
        }
        guard let (arrival, clock) = awaited else { return }
        let time = arrival.timeIntervalSince(clock.now)
        guard time > 0 else { return deliverArrived(until: arrival) }
        let timer = clock.schedule(after: Duration(clamping: time)) { self.deliverArrived(until: arrival) }
        store(timer) { $0.isDelivering && $0.deliveries.first?.arrival == arrival }
    }

    private func deliverArrived(until time: Date) {
        let (arrived, isLost) = state.withLock { state in
            let arrived = state.deliveries.prefix { $0.arrival <= time }.map(\.delivery)
            state.deliveries.removeFirst(arrived.count)
            for delivery in arrived { state.received += Int64(delivery.size) }
            return (arrived, state.isLost)
        }
        for delivery in arrived { delivery.deliver(output) }
        if isLost { base.cancel() }
        state.withLock { $0.isDelivering = false }
        deliverNext()
    }
}
