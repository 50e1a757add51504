import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A bad network between a service and another data source: `dataSource.degraded(latency: .milliseconds(400), loss: 0.1)`.
///
/// Everything goes by the service's clock, so a test with a `ManualClock` waits for nothing. The same seed makes the same
/// network: which requests are lost, and how late each is, depends on the seed and on how many were resumed before.
public struct DegradedDataSource<Base: SessionDataTaskDataSource>: SessionDataTaskDataSource {
    private let base: Base
    private let network: Network

    /// Puts a bad network in front of a data source; see `degraded`.
    public init(
        _ base: Base, latency: ClosedRange<Duration> = .zero ... .zero, loss: Double = 0,
        bandwidth: Int? = nil, seed: UInt64 = 0
    ) {
        self.base = base
        network = Network(latency: latency, loss: loss, bandwidth: bandwidth, seed: seed)
    }

    /// Returns a task that has not started.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        DegradedDataTask(request, base, network, completion)
    }
}

extension SessionDataTaskDataSource {
    /// Puts a bad network in front of this data source.
    ///
    /// - Parameters:
    ///   - latency: how long a request takes to the server, and each response back; for each drawn from the range. None
    ///     by default.
    ///   - loss: the part of the requests that end in `URLError(.networkConnectionLost)`, from 0, the default, to 1; half
    ///     of these reach the server, and lose the response.
    ///   - bandwidth: bytes of bodies a second, for each request by itself; nil, the default, for no limit.
    ///   - seed: another seed is another network; 0 by default.
    public func degraded(
        latency: ClosedRange<Duration> = .zero ... .zero, loss: Double = 0, bandwidth: Int? = nil,
        seed: UInt64 = 0
    ) -> DegradedDataSource<Self> {
        DegradedDataSource(self, latency: latency, loss: loss, bandwidth: bandwidth, seed: seed)
    }

    /// Puts a bad network in front of this data source, with the same latency each time.
    public func degraded(
        latency: Duration, loss: Double = 0, bandwidth: Int? = nil, seed: UInt64 = 0
    ) -> DegradedDataSource<Self> {
        degraded(latency: latency...latency, loss: loss, bandwidth: bandwidth, seed: seed)
    }
}

/// What happens to each request, as the seed has it.
private final class Network: Sendable {
    /// What happens to one request.
    struct Fate: Sendable {
        let wayOut: Duration
        let wayBack: Duration
        let losesRequest: Bool
        let losesResponse: Bool
    }

    private let latency: ClosedRange<Duration>
    private let loss: Double
    private let bandwidth: Int?
    private let numbers: Lock<SplitMix64>

    init(latency: ClosedRange<Duration>, loss: Double, bandwidth: Int?, seed: UInt64) {
        self.latency = max(latency.lowerBound, .zero)...max(latency.upperBound, .zero)
        self.loss = loss
        self.bandwidth = bandwidth
        numbers = Lock(SplitMix64(state: seed))
    }

    func nextFate() -> Fate {
        numbers.withLock { numbers in
            // Always as many numbers, so that a request's fate is the same whatever the others' was.
            let (out, back) = (numbers.next01(), numbers.next01())
            let (isLost, isOnWayOut) = (numbers.next01() < loss, numbers.next01() < 0.5)
            let span = latency.upperBound - latency.lowerBound
            return Fate(
                wayOut: latency.lowerBound + span * out, wayBack: latency.lowerBound + span * back,
                losesRequest: isLost && isOnWayOut, losesResponse: isLost && !isOnWayOut)
        }
    }

    func time(for count: Int) -> Duration {
        guard let bandwidth else { return .zero }
        return .seconds(Double(count) / Double(max(1, bandwidth)))
    }
}

/// Sebastiano Vigna's generator: small, and the same on each platform.
private struct SplitMix64: Sendable {
    var state: UInt64

    /// A number from 0 up to, but without, 1.
    mutating func next01() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) * 0x1p-53
    }
}

/// One request over a bad network.
private final class DegradedDataTask<Base: SessionDataTaskDataSource>: DataTask {
    private struct State: Sendable {
        var completion: Completion
        var wasSent = false
        var base: (any DataTask)?
        /// What brings the request to the server, or the response back.
        var journey: ScheduledWork?
        var isOnWayBack = false
    }

    private let request: URLRequest
    private let source: Base
    private let network: Network
    private let state: Lock<State>

    init(
        _ request: URLRequest, _ source: Base, _ network: Network, _ completion: @escaping Completion.Handler
    ) {
        self.request = request
        self.source = source
        self.network = network
        state = Lock(State(completion: Completion(completion)))
    }

    func resume() {
        let (call, isFirst, base) = state.withLock { state in
            let isFirst = !state.wasSent && state.completion.isDue
            state.wasSent = true
            return (state.completion.resume(), isFirst, state.base)
        }
        call?()
        if isFirst { leave() } else { base?.resume() }
    }

    func suspend() {
        let base = state.withLock { state in
            if state.wasSent { state.completion.suspend() }
            return state.base
        }
        base?.suspend()
    }

    func cancel() {
        let (call, base, journey) = state.withLock { state in
            (
                state.completion.fail(with: URLError(.cancelled)), state.base.take(),
                state.journey.take()
            )
        }
        journey?.cancel()
        base?.cancel()
        call?()
    }

    private func leave() {
        let fate = network.nextFate()
        let clock = CurrentClock.value
        let time = fate.wayOut + network.time(for: request.httpBody?.count ?? 0)
        travel(time, isBack: false, on: clock) {
            if fate.losesRequest { return self.end(with: Self.loss) }
            self.arrive(fate, clock)
        }
    }

    private func arrive(_ fate: Network.Fate, _ clock: any ServiceClock) {
        let base = CurrentClock.with(clock) {
            source.dataTask(with: request) { data, response, error in
                let ending = Ending(data, response, error)
                let time = fate.wayBack + self.network.time(for: data?.count ?? 0)
                self.travel(time, isBack: true, on: clock) {
                    self.end(with: fate.losesResponse ? Self.loss : ending)
                }
            }
        }
        let isWanted = state.withLock { state in
            guard state.completion.isDue else { return false }
            state.base = base
            return true
        }
        if isWanted { CurrentClock.with(clock) { base.resume() } } else { base.cancel() }
    }

    private func travel(
        _ time: Duration, isBack: Bool, on clock: any ServiceClock, _ arrive: @escaping @Sendable () -> Void
    ) {
        guard time > .zero else { return arrive() }
        let journey = clock.schedule(after: time, arrive)
        let isWanted = state.withLock { state in
            // The way out may be over already.
            guard isBack || !state.isOnWayBack else { return true }
            (state.journey, state.isOnWayBack) = (journey, isBack)
            return state.completion.isDue
        }
        if !isWanted { journey.cancel() }
    }

    private func end(with ending: Ending) {
        let (call, base) = state.withLock { state in
            (state.completion.end(with: ending), state.base.take())
        }
        call?()
        withExtendedLifetime(base) {}
    }

    private static var loss: Ending { .failure(URLError(.networkConnectionLost)) }
}
