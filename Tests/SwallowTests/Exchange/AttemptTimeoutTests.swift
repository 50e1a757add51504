import Foundation
import SwallowTesting
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The data source's timeout of an attempt")
struct AttemptTimeoutTests {
    private let clock = ManualClock()
    private let pending = Recorder<Int>()

    private func service(_ attemptTimeout: Duration) -> WebService {
        var service = WebService.test(
            TimedTransfers(attemptTimeout) { [clock, pending] in pending.append(clock.pending) })
        service.clock = clock
        return service
    }

    @Test("The timeout runs before the transfer starts, and is cancelled before the task completes")
    func order() async throws {
        let task = service(.seconds(10)).GET("/")
        #expect(await task.finalError?.reason == .transport(URLError(.cannotParseResponse)))
        #expect(pending.values == [1] && clock.pending == 0)
    }

    @Test("A timeout of zero fails the task, and nothing is sent")
    func zero() async throws {
        #expect(await service(.zero).GET("/").finalError?.reason == .timedOut)
        #expect(pending.values.isEmpty)
    }
}

/// Transfers that fail as soon as they are started.
private final class TimedTransfers: TransferSource, SizedDataSource {
    let redirectPolicy = RedirectPolicy.follow()
    let openAttempts = OpenAttempts()
    let attemptTimeout: Duration?
    let maximumBodySize = Int.max
    private let onStart: @Sendable () -> Void

    init(_ attemptTimeout: Duration, onStart: @escaping @Sendable () -> Void) {
        self.attemptTimeout = attemptTimeout
        self.onStart = onStart
    }

    func transfer(for request: URLRequest) -> any Transfer { TimedTransfer(onStart) }

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        ManagedDataTask(completion) { ExchangeOperation(request, self, $0) }
    }
}

private final class TimedTransfer: Transfer {
    private let onStart: @Sendable () -> Void

    init(_ onStart: @escaping @Sendable () -> Void) {
        self.onStart = onStart
    }

    func start(inParts: Bool, for receiver: TransferReceiver) {
        onStart()
        receiver.receiveCompletion(.failure(URLError(.cannotParseResponse), nil))
    }

    func deliverParts() {}
    func setPause(_ pause: TransferPause) {}
    func cancel() {}
    var facts: TransferFacts { TransferFacts() }
}
