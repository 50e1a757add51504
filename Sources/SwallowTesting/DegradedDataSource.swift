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
