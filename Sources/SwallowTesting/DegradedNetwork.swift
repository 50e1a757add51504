import Swallow

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
