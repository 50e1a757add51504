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
    /// All times are measured with the service's clock, so a test with a `ManualClock` doesn't wait. Equal seeds create
    /// equal networks. The seed and the number of requests resumed before decide whether a request is lost, and how
    /// late it is. The parts of a streamed body arrive one by one, each with the latency. Metrics and trailers
    /// are from this data source.
    ///
    /// - Parameters:
    ///   - latency: The time that a request takes to the server, and that a response takes back. Each time is drawn from the
    ///     range. Zero by default.
    ///   - loss: The fraction of the requests that fail with `URLError(.networkConnectionLost)`, from 0, the default, to 1.
    ///     Half of these reach the server, and lose the response.
    ///   - bandwidth: The number of body bytes per second, for each request separately. `nil`, the default, for no limit. A
    ///     request's body counts if it is in memory.
    ///   - seed: The seed of the random numbers. 0 by default.
    public func degraded(
        latency: ClosedRange<Duration> = .zero ... .zero, loss: Double = 0, bandwidth: Int? = nil,
        seed: UInt64 = 0
    ) -> some SessionDataTaskDataSource {
        DegradedDataSource(
            base: self,
            network: DegradedNetwork(latency: latency, loss: loss, bandwidth: bandwidth, seed: seed))
    }

    /// Returns this data source behind a simulated bad network with a constant latency.
    public func degraded(
        latency: Duration, loss: Double = 0, bandwidth: Int? = nil, seed: UInt64 = 0
    ) -> some SessionDataTaskDataSource {
        degraded(latency: latency...latency, loss: loss, bandwidth: bandwidth, seed: seed)
    }
}
