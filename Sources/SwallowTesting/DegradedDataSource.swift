import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A bad network between a service and another data source.
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
    /// Puts a bad network in front of this data source: `stub.degraded(latency: .milliseconds(400), loss: 0.1)`.
    ///
    /// Everything goes by the service's clock, so a test with a `ManualClock` waits for nothing. The same seed makes the same
    /// network: which requests are lost, and how late each is, depends on the seed and on how many were resumed before. Parts of
    /// a streamed body come one by one, each so much later; metrics and trailers are this data source's.
    ///
    /// - Parameters:
    ///   - latency: how long a request takes to the server, and each response back; for each drawn from the range. None
    ///     by default.
    ///   - loss: the part of the requests that end in `URLError(.networkConnectionLost)`, from 0, the default, to 1; half
    ///     of these reach the server, and lose the response.
    ///   - bandwidth: bytes of bodies a second, for each request by itself; nil, the default, for no limit. A request's body
    ///     counts where it is in memory.
    ///   - seed: another seed is another network; 0 by default.
    public func degraded(
        latency: ClosedRange<Duration> = .zero ... .zero, loss: Double = 0, bandwidth: Int? = nil,
        seed: UInt64 = 0
    ) -> some SessionDataTaskDataSource {
        DegradedDataSource(
            base: self,
            network: DegradedNetwork(latency: latency, loss: loss, bandwidth: bandwidth, seed: seed))
    }

    /// Puts a bad network in front of this data source, with the same latency each time.
    public func degraded(
        latency: Duration, loss: Double = 0, bandwidth: Int? = nil, seed: UInt64 = 0
    ) -> some SessionDataTaskDataSource {
        degraded(latency: latency...latency, loss: loss, bandwidth: bandwidth, seed: seed)
    }
}
