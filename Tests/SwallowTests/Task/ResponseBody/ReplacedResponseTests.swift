import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A response that fails while a sink is set")
struct ReplacedResponseTests {
    @Test("The sink receives the response of the retry", arguments: [false, true])
    func retry(hasNextHead: Bool) async throws {
        let source = ManualTransferSource()
        var service = WebService.test(source)
        service.configure {
            $0.retry = RetryPolicy()
            $0.retry.backoff = .init(first: .zero)
        }
        let task = service.GET("/")
        let transfers = source.transfers
        #expect(await transfers.first(1)[0].receiveHead(200) == .accept)
        let fails = Lock(true)
        let sink = RecordingSink {
            guard
                fails.withLock({ fails in
                    defer { fails = false }
                    return fails
                })
            else { return }
            transfers.values[0].receiver?.receiveCompletion(.failure(URLError(.networkConnectionLost), nil))
            if hasNextHead { #expect(transfers.values[1].receiveHead(201) == .accept) }
        }
        try task.writeBody(to: sink)
        let next = transfers.values[1]
        if !hasNextHead { #expect(next.receiveHead(201) == .accept) }
        #expect(next.deliversParts)
        _ = next.receiver?.receiveBodyPart(Data("b".utf8))
        next.receiver?.receiveCompletion(.success(Data()))
        _ = await task.result
        #expect(sink.calls.values == ["begin 201", "receive b", "complete"])
    }
}

/// A source of transfers whose events the test sends.
private final class ManualTransferSource: TransferSource, SizedDataSource {
    let transfers = Recorder<ManualTransfer>()
    let redirectPolicy = RedirectPolicy.follow()
    let openAttempts = OpenAttempts()
    let attemptTimeout: Duration? = nil
    let maximumBodySize = Int.max

    func transfer(for request: URLRequest) -> any Transfer {
        let transfer = ManualTransfer(request)
        transfers.append(transfer)
        return transfer
    }

    func dataTask(
        with request: URLRequest, completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        ManagedDataTask(completion) { ExchangeOperation(request, self, $0) }
    }
}

private final class ManualTransfer: Transfer {
    private struct State: Sendable {
        var receiver: TransferReceiver?
        var deliversParts = false
    }

    private let request: URLRequest
    private let state = Lock(State())

    init(_ request: URLRequest) {
        self.request = request
    }

    var receiver: TransferReceiver? { state.withLock { $0.receiver } }

    func receiveHead(_ status: Int) -> HeadAnswer? {
        request.url.flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: nil, headerFields: nil)
        }.flatMap { receiver?.receiveHead(ResponseHead($0)) }
    }

    var deliversParts: Bool { state.withLock { $0.deliversParts } }

    func start(inParts: Bool, for receiver: TransferReceiver) {
        state.withLock { $0 = State(receiver: receiver, deliversParts: $0.deliversParts || inParts) }
    }

    func deliverParts() { state.withLock { $0.deliversParts = true } }
    func setPause(_ pause: TransferPause) {}
    func answer(_ answer: HeadAnswer) {}
    func cancel() {}
    var facts: TransferFacts { TransferFacts() }
}
