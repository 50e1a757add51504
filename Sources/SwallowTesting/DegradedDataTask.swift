import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request over a bad network.
///
/// What the other data source gives travels back in its order: each part is here once its latency is over, and the bytes
/// before it have come through.
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
        var delivery: Delivery
        var wasSent = false
        var base: (any DataTask)?
        /// How what the base gives comes back.
        var way: (fate: DegradedNetwork.Fate, clock: any ServiceClock)?
        /// What brings the request to the server, or the next parcel back.
        var journey: ScheduledWork?
        /// What is on its way back, and when it is here.
        var parcels: [(arrival: Date, parcel: Parcel)] = []
        var lastArrival = Date.distantPast
        /// Whether the first of them is waited for.
        var isBringing = false
        var received: Int64 = 0
        /// Whether nothing comes back any more.
        var isLost = false
    }

    private let request: URLRequest
    private let source: Base
    private let network: DegradedNetwork
    private let state: Lock<State>

    init(
        _ request: URLRequest, _ source: Base, _ network: DegradedNetwork,
        _ completion: @escaping Completion.Handler
    ) {
        self.request = request
        self.source = source
        self.network = network
        state = Lock(State(delivery: Delivery(completion)))
    }

    func resume() {
        var (isFirst, base) = (false, (any DataTask)?.none)
        change(isOwnCall: true) { state in
            isFirst = !state.wasSent && state.delivery.isDue
            state.wasSent = true
            base = state.base
            return state.delivery.resume()
        }
        if isFirst { leave() } else { base?.resume() }
    }

    func suspend() {
        var base: (any DataTask)?
        change(isOwnCall: true) { state in
            if state.wasSent { state.delivery.suspend() }
            base = state.base
            return nil
        }
        base?.suspend()
    }

    func cancel() {
        var (base, journey) = ((any DataTask)?.none, ScheduledWork?.none)
        change(isOwnCall: true) { state in
            (base, journey) = (state.base.take(), state.journey.take())
            state.parcels = []
            return state.delivery.fail(with: URLError(.cancelled))
        }
        journey?.cancel()
        base?.cancel()
    }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        let base = state.withLock { state in
            state.delivery.stream(to: receiver) ? state.base : nil
        }
        base?.stream { self.sendBack(.part($0)) }
    }

    var transferProgress: TransferProgress {
        let (base, received) = state.withLock { ($0.base, $0.received) }
        var progress = base?.transferProgress ?? TransferProgress()
        progress.received = min(progress.received, received)
        return progress
    }

    var transferMetrics: TransferMetrics? { state.withLock { $0.base }?.transferMetrics }
    var trailers: Headers { state.withLock { $0.base }?.trailers ?? [:] }
}

// MARK: - There

extension DegradedDataTask {
    private func leave() {
        let (fate, clock) = (network.nextFate(), CurrentClock.value)
        let time = fate.wayOut + network.time(for: request.httpBody?.count ?? 0)
        guard time > .zero else { return arrive(fate, clock) }
        let journey = clock.schedule(after: time) { self.arrive(fate, clock) }
        let isWanted = state.withLock { state in
            // It may be over already.
            if state.base == nil { state.journey = journey }
            return state.delivery.isDue
        }
        if !isWanted { journey.cancel() }
    }

    private func arrive(_ fate: DegradedNetwork.Fate, _ clock: any ServiceClock) {
        if fate.losesRequest { return end(with: Self.loss) }
        let base = CurrentClock.with(clock) {
            source.dataTask(with: request) { self.sendBack(.end(Ending($0, $1, $2))) }
        }
        let (isWanted, isStreamed) = state.withLock { state in
            guard state.delivery.isDue else { return (false, false) }
            (state.base, state.way) = (base, (fate, clock))
            return (true, state.delivery.isStreamed)
        }
        guard isWanted else { return base.cancel() }
        if isStreamed { base.stream { self.sendBack(.part($0)) } }
        CurrentClock.with(clock) { base.resume() }
    }

    private static var loss: Ending { .failure(URLError(.networkConnectionLost)) }
}

// MARK: - Back

extension DegradedDataTask {
    private func sendBack(_ parcel: Parcel) {
        state.withLock { state in
            guard state.delivery.isDue, !state.isLost, let (fate, clock) = state.way else { return }
            state.isLost = fate.losesResponse
            let sent = state.isLost ? .end(Self.loss) : parcel
            let earliest = clock.now.addingTimeInterval(fate.wayBack.seconds)
            let start = max(earliest, state.lastArrival)
            state.lastArrival = start.addingTimeInterval(network.time(for: sent.size).seconds)
            state.parcels.append((state.lastArrival, sent))
        }
        bringNext()
    }

    /// Brings the parcel that is the first now when its time has come, unless it is waited for already.
    private func bringNext() {
        let due = state.withLock { state -> (Date, any ServiceClock)? in
            guard !state.isBringing, let next = state.parcels.first, let way = state.way else { return nil }
            state.isBringing = true
            return (next.arrival, way.clock)
        }
        guard let (next, clock) = due else { return }
        let time = next.timeIntervalSince(clock.now)
        guard time > 0 else { return unload(until: next) }
        let journey = clock.schedule(after: Duration(clamping: time)) { self.unload(until: next) }
        let isWanted = state.withLock { state in
            if state.isBringing, state.parcels.first?.arrival == next { state.journey = journey }
            return state.delivery.isDue
        }
        if !isWanted { journey.cancel() }
    }

    /// Hands over what is here by a time, and has the rest brought.
    private func unload(until time: Date) {
        var lost: (any DataTask)?
        change { state in
            state.isBringing = false
            let arrived = state.parcels.prefix { $0.arrival <= time }
            state.parcels.removeFirst(arrived.count)
            var call: Completion.Call?
            for (_, parcel) in arrived {
                state.received += Int64(parcel.size)
                switch parcel {
                case .part(let part): state.delivery.add(part)
                case .end(let ending): call = state.delivery.end(with: ending)
                }
            }
            if state.isLost { lost = state.base }
            return call
        }
        lost?.cancel()
        bringNext()
    }

    private func end(with ending: Ending) { change { $0.delivery.end(with: ending) } }

    /// Makes a change, and the calls that follow from it.
    ///
    /// - Parameter isOwnCall: whether this is a call of the task's own, in which it calls no receiver.
    private func change(isOwnCall: Bool = false, _ change: (inout State) -> Completion.Call?) {
        let (call, hasTurn) = state.withLock { state in (change(&state), state.delivery.takeTurn()) }
        call?()
        guard hasTurn else { return }
        if isOwnCall { DispatchQueue.deliveries.async { self.deliver() } } else { deliver() }
    }

    private func deliver() {
        while let call = state.withLock({ $0.delivery.next() }) { call() }
    }
}
