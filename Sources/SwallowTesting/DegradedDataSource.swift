import Foundation
import Swallow

struct DegradedDataSource<Base: SessionDataTaskDataSource>: SizedDataSource {
    let base: Base
    let network: DegradedNetwork

    var maximumBodySize: Int { base.maximumBodySize }

    func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        ManagedDataTask(completion) { DegradedOperation(request, base, network, $0) }
    }
}

extension SessionDataTaskDataSource {
    /// Returns this data source behind a simulated bad network:
    /// `stub.degraded(latency: .milliseconds(400), loss: 0.1)`.
    ///
    /// The service's clock measures the simulated times. With the same seed, requests that start in the same order have
    /// the same latencies and losses.
    ///
    /// - Parameters:
    ///   - latency: The range of the random time that a request takes to the server, and that a response or each of its
    ///     parts takes back. Zero by default.
    ///   - loss: The probability that a request fails with `URLError(.networkConnectionLost)`, from 0, the default, to
    ///     1. About half of the lost requests reach the server, and only their response is lost.
    ///   - bandwidth: The number of body bytes per second, for each request separately. `nil`, the default, means no
    ///     limit. A request's body counts only if it is in `httpBody`.
    ///   - seed: The seed of the random numbers. 0 by default.
    public func degraded(
        latency: ClosedRange<Duration> = .zero ... .zero, loss: Double = 0, bandwidth: Int? = nil,
        seed: UInt64 = 0
    ) -> some SessionDataTaskDataSource {
        DegradedDataSource(
            base: self,
            network: DegradedNetwork(latency: latency, loss: loss, bandwidth: bandwidth, seed: seed))
    }

    /// Returns this data source behind a simulated bad network with a constant latency in each direction.
    public func degraded(
        latency: Duration, loss: Double = 0, bandwidth: Int? = nil, seed: UInt64 = 0
    ) -> some SessionDataTaskDataSource {
        degraded(latency: latency...latency, loss: loss, bandwidth: bandwidth, seed: seed)
    }
}

final class DegradedNetwork: Sendable {
    struct Conditions: Sendable {
        let requestLatency: Duration
        let responseLatency: Duration
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

    func nextConditions() -> Conditions {
        numbers.withLock { numbers in
            // Each request draws four numbers, so the outcome of one request never shifts the numbers of the next.
            let (out, back) = (numbers.next01(), numbers.next01())
            let (isLost, isOnWayOut) = (numbers.next01() < loss, numbers.next01() < 0.5)
            let span = latency.upperBound - latency.lowerBound
            return Conditions(
                requestLatency: latency.lowerBound + span * out,
                responseLatency: latency.lowerBound + span * back,
                losesRequest: isLost && isOnWayOut, losesResponse: isLost && !isOnWayOut)
        }
    }

    func time(for count: Int) -> Duration {
        guard let bandwidth else { return .zero }
        return Duration(clamping: Double(count) / Double(max(1, bandwidth)))
    }
}

/// The random number generator SplitMix64, which produces the same numbers on every platform.
private struct SplitMix64: Sendable {
    var state: UInt64

    mutating func next01() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) * 0x1p-53
    }
}
