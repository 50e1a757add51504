import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request over a bad network.
///
/// The base's answer arrives in order. A part arrives once its latency is over, and the bandwidth has let the bytes before
/// it through.
final class DegradedDataTask<Base: SessionDataTaskDataSource>: DataTask {
    private enum Parcel: Sendable {
        case part(ResponsePart)
        case end(Ending)

        /// The bytes of the body in it.
        var size: Int {
            switch self {
            case .part(.head): 0
            case .part(.bytes(let data)): data.count
            case .end(let ending): ending.data?.count ?? 0
            }
        }
    }

    private struct State: Sendable {
        var wasSent = false
        var base: (any DataTask)?
        /// The request's fate, and the clock that the answer's way back goes by.
        var way: (fate: DegradedNetwork.Fate, clock: any ServiceClock)?
        /// The timer of the request's way to the server, or of the next parcel's arrival.
        var journey: ScheduledWork?
        /// The parcels on their way back, and when they arrive.
        var parcels: [(arrival: Date, parcel: Parcel)] = []
        var lastArrival = Date.distantPast
        /// Whether the first parcel's arrival is being waited for.
        var isBringing = false
        var received: Int64 = 0
        /// Whether nothing comes back any more.
        var isLost = false
    }

    private let request: URLRequest
    private let source: Base
    private let network: DegradedNetwork
    private let outbox: Outbox<State>

    init(
        _ request: URLRequest, _ source: Base, _ network: DegradedNetwork,
        _ completion: @escaping PartQueue.Completion
    ) {
        self.request = request
        self.source = source
        self.network = network
        outbox = Outbox(State(), completion)
    }

    func resume() {
        let (isFirst, base) = outbox.change(isOwnCall: true) { state, queue in
            queue.resume()
            defer { state.wasSent = true }
            return (!state.wasSent && queue.isOpen, state.base)
        }
        if isFirst { leave() } else { base?.resume() }
    }

    func suspend() {
        let base = outbox.change(isOwnCall: true) { state, queue in
            if state.wasSent { queue.suspend() }
            return state.base
        }
        base?.suspend()
    }

    func cancel() {
        let (base, journey) = outbox.change(isOwnCall: true) { state, queue in
            queue.fail(with: URLError(.cancelled))
            state.parcels = []
            return (state.base.take(), state.journey.take())
        }
        journey?.cancel()
        base?.cancel()
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        let base = outbox.change(isOwnCall: true) { $1.stream(to: receiver) ? $0.base : nil }
        base?.stream { self.sendBack(.part($0)) }
    }

    var transferProgress: TransferProgress {
        let (base, received) = outbox.withState { state in (state.base, state.received) }
        var progress = base?.transferProgress ?? TransferProgress()
        progress.received = min(progress.received, received)
        return progress
    }

    var transferMetrics: TransferMetrics? { outbox.withState { state in state.base }?.transferMetrics }
    var trailers: Headers { outbox.withState { state in state.base }?.trailers ?? [:] }
}

// MARK: - There

extension DegradedDataTask {
    private func leave() {
        let (fate, clock, terms) = (network.nextFate(), SenderTerms.currentClock, SenderTerms.current)
        let time = fate.wayOut + network.time(for: request.httpBody?.count ?? 0)
        guard time > .zero else { return reachServer(fate, clock, terms) }
        let journey = clock.schedule(after: time) { self.reachServer(fate, clock, terms) }
        let isWanted = outbox.change { state, queue in
            // It may be over already.
            if state.base == nil { state.journey = journey }
            return queue.isOpen
        }
        if !isWanted { journey.cancel() }
    }

    private func reachServer(
        _ fate: DegradedNetwork.Fate, _ clock: any ServiceClock, _ terms: SenderTerms
    ) {
        if fate.losesRequest { return end(with: Self.loss) }
        let base = SenderTerms.$current.withValue(terms) {
            source.dataTask(with: request) { self.sendBack(.end(Ending($0, $1, $2))) }
        }
        let (isWanted, isStreamed) = outbox.change { state, queue in
            guard queue.isOpen else { return (false, false) }
            (state.base, state.way) = (base, (fate, clock))
            return (true, queue.isStreamed)
        }
        guard isWanted else { return base.cancel() }
        if isStreamed { base.stream { self.sendBack(.part($0)) } }
        SenderTerms.$current.withValue(terms) { base.resume() }
    }

    private static var loss: Ending { .failure(URLError(.networkConnectionLost)) }
}

// MARK: - Back

extension DegradedDataTask {
    private func sendBack(_ parcel: Parcel) {
        outbox.change { state, queue in
            guard queue.isOpen, !state.isLost, let (fate, clock) = state.way else { return }
            state.isLost = fate.losesResponse
            let sent = state.isLost ? .end(Self.loss) : parcel
            let earliest = clock.now.addingTimeInterval(fate.wayBack.seconds)
            let start = max(earliest, state.lastArrival)
            state.lastArrival = start.addingTimeInterval(network.time(for: sent.size).seconds)
            state.parcels.append((state.lastArrival, sent))
        }
        bringNext()
    }

    /// Waits for the first parcel's arrival, unless that is being waited for already.
    private func bringNext() {
        let due = outbox.change { state, _ -> (Date, any ServiceClock)? in
            guard !state.isBringing, let next = state.parcels.first, let way = state.way else { return nil }
            state.isBringing = true
            return (next.arrival, way.clock)
        }
        guard let (next, clock) = due else { return }
        let time = next.timeIntervalSince(clock.now)
        guard time > 0 else { return unload(until: next) }
        let journey = clock.schedule(after: Duration(clamping: time)) { self.unload(until: next) }
        let isWanted = outbox.change { state, queue in
            if state.isBringing, state.parcels.first?.arrival == next { state.journey = journey }
            return queue.isOpen
        }
        if !isWanted { journey.cancel() }
    }

    /// Delivers the parcels that have arrived by a time, and waits for the next one.
    private func unload(until time: Date) {
        let lost = outbox.change { state, queue -> (any DataTask)? in
            state.isBringing = false
            let arrived = state.parcels.prefix { $0.arrival <= time }
            state.parcels.removeFirst(arrived.count)
            for (_, parcel) in arrived {
                state.received += Int64(parcel.size)
                switch parcel {
                case .part(let part): queue.add(part)
                case .end(let ending): queue.end(with: ending)
                }
            }
            return state.isLost ? state.base : nil
        }
        lost?.cancel()
        bringNext()
    }

    private func end(with ending: Ending) { outbox.change { $1.end(with: ending) } }
}
