import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends one request over a simulated bad network. Each body part arrives in order, after its latency has passed and
/// the bandwidth has allowed all earlier bytes.
final class DegradedOperation<Base: SessionDataTaskDataSource>: DataTaskOperation, ResponseReceiver {
    private enum Parcel: Sendable {
        case part(ResponsePart)
        case ending(Ending)

        var size: Int {
            switch self {
            case .part(.head): 0
            case .part(.bytes(let data)): data.count
            case .ending(let ending): ending.data?.count ?? 0
            }
        }
    }

    private struct State: Sendable {
        /// The request's fate, and the clock for the response's way back. `nil` until the request reaches the server.
        var way: (fate: DegradedNetwork.Fate, clock: any ServiceClock)?
        var journey: ScheduledWork?
        /// The parcels on their way back, and their times of arrival.
        var parcels: [(arrival: Date, parcel: Parcel)] = []
        var lastArrival = Date.distantPast
        /// Whether the first parcel is being awaited or delivered.
        var isBringing = false
        var received: Int64 = 0
        /// Whether the response was lost, so that nothing else arrives.
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
        let (fate, clock, terms) = (network.nextFate(), SenderTerms.currentClock, SenderTerms.current)
        let time = fate.wayOut + network.time(for: request.httpBody?.count ?? 0)
        guard time > .zero else { return reachServer(fate, clock, terms) }
        let journey = clock.schedule(after: time) { self.reachServer(fate, clock, terms) }
        keep(journey) { $0.way == nil }
    }

    func deliverParts() { base.deliverParts() }
    // A request on its way can't be stopped.
    func suspend() { if state.withLock({ $0.way != nil }) { base.suspend() } }
    func resume() { base.resume() }

    func cancel() {
        let (journey, _) = state.withLock { state in
            defer { state.parcels = [] }
            return (state.journey.take(), state.parcels)
        }
        journey?.cancel()
        base.cancel()
    }

    var facts: TransferFacts {
        var facts = base.facts
        facts.progress.received = min(facts.progress.received, state.withLock { $0.received })
        return facts
    }

    private func reachServer(_ fate: DegradedNetwork.Fate, _ clock: any ServiceClock, _ terms: SenderTerms) {
        if fate.losesRequest { return output.receive(Self.loss) }
        state.withLock { $0.way = (fate, clock) }
        SenderTerms.$current.withValue(terms) {
            base.resume()
            base.send(request, to: source, for: self)
        }
    }

    private static var loss: Ending { .failure(URLError(.networkConnectionLost)) }

    /// Stores a timer while it is needed, so that it can be cancelled.
    private func keep(_ journey: ScheduledWork, while isNeeded: (borrowing State) -> Bool) {
        // The earlier timer is returned, so that it is released outside the lock.
        _ = state.withLock { state in
            defer { if isNeeded(state) { state.journey = journey } }
            return state.journey
        }
        if !output.isOpen { journey.cancel() }
    }
}

// MARK: - The way back

extension DegradedOperation {
    func receive(_ part: ResponsePart) { sendBack(.part(part)) }
    func receive(_ ending: Ending) { sendBack(.ending(ending)) }

    private func sendBack(_ parcel: Parcel) {
        guard let (fate, clock) = state.withLock({ $0.way }) else { return }
        let earliest = clock.now.addingTimeInterval(fate.wayBack.seconds)
        state.withLock { state in
            if state.isLost { return }
            state.isLost = fate.losesResponse
            let sent = state.isLost ? .ending(Self.loss) : parcel
            let start = max(earliest, state.lastArrival)
            state.lastArrival = start.addingTimeInterval(network.time(for: sent.size).seconds)
            state.parcels.append((state.lastArrival, sent))
        }
        bringNext()
    }

    /// Waits for the first parcel, unless another thread already does.
    private func bringNext() {
        let awaited = state.withLock { state -> (Date, any ServiceClock)? in
            guard !state.isBringing, let next = state.parcels.first, let way = state.way else { return nil }
            state.isBringing = true
            return (next.arrival, way.clock)
        }
        guard let (arrival, clock) = awaited else { return }
        let time = arrival.timeIntervalSince(clock.now)
        guard time > 0 else { return unload(until: arrival) }
        let journey = clock.schedule(after: Duration(clamping: time)) { self.unload(until: arrival) }
        keep(journey) { $0.isBringing && $0.parcels.first?.arrival == arrival }
    }

    private func unload(until time: Date) {
        let (arrived, isLost) = state.withLock { state in
            let arrived = state.parcels.prefix { $0.arrival <= time }.map(\.parcel)
            state.parcels.removeFirst(arrived.count)
            for parcel in arrived { state.received += Int64(parcel.size) }
            return (arrived, state.isLost)
        }
        for parcel in arrived {
            switch parcel {
            case .part(let part): output.receive(part)
            case .ending(let ending): output.receive(ending)
            }
        }
        if isLost { base.cancel() }
        state.withLock { $0.isBringing = false }
        bringNext()
    }
}
