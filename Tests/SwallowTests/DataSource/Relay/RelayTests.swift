import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The relay's decisions")
struct RelayTests {
    private let first = URLRequest.to("http://h/1")
    private let second = URLRequest.to("http://h/2")

    /// A relay whose first attempt is under way, and what was asked of its data task.
    private func started() throws -> (Driver, ManualExchange) {
        let relay = Driver(first)
        #expect(relay.resume().sending == "http://h/1 #0")
        let task = exchange(first)
        #expect(relay.begin(task))
        #expect(relay.signals() == [.resume])
        return (relay, task)
    }

    private func exchange(_ request: URLRequest) -> ManualExchange {
        ManualExchange(request: request, answersInResume: nil) { _, _, _ in }
    }

    private func head(_ status: Int) throws -> HTTPURLResponse {
        try #require(exchange(first).response(status: status))
    }

    @Test("Nothing is sent before resume(), and only once after it")
    func starts() throws {
        let relay = Driver(first)
        #expect(relay.suspend().isSignal)
        #expect(relay.resume().sending == "http://h/1 #0")
        #expect(relay.resume().isSignal)
    }

    @Test("A head that is accepted is judged once, and what the attempt ends with is the end")
    func accepted() throws {
        let (relay, _) = try started()
        #expect(relay.receiveHead(try head(200), of: 0).judging == "200 of http://h/1 after 0")
        #expect(relay.receiveHead(try head(200), of: 0).isNone)
        #expect(relay.take(.accept).isNone)
        let end = relay.receive(Ending(Data([1]), try head(200), nil), of: 0)
        #expect(relay.ending(after: end)?.data == Data([1]))
        #expect(relay.receive(Ending(nil, nil, nil), of: 0).isNone)
        #expect(relay.signals() == [.release])
    }

    @Test("A source that gives no head has its end judged")
    func judgedAtTheEnd() throws {
        var (relay, _) = try started()
        #expect(relay.receive(Ending(nil, try head(503), nil), of: 0).judging == "503 of http://h/1 after 0")
        #expect(relay.ending(after: relay.take(.accept))?.response != nil)
        (relay, _) = try started()
        let failure = Ending.failure(URLError(.networkConnectionLost))
        #expect(relay.receive(failure, of: 0).judging == "failure of http://h/1 after 0")
        #expect(relay.ending(after: relay.take(.accept))?.error is URLError)
        (relay, _) = try started()
        #expect(relay.ending(after: relay.receive(Ending(nil, nil, nil), of: 0)) != nil)
    }

    @Test("An attempt that ends while it is judged waits for the verdict", arguments: [true, false])
    func endsWhileJudged(isAccepted: Bool) throws {
        let (relay, _) = try started()
        _ = relay.receiveHead(try head(302), of: 0)
        #expect(relay.receive(Ending(Data([1]), try head(302), nil), of: 0).isNone)
        let step = relay.take(isAccepted ? .accept : .again(second))
        #expect(relay.ending(after: step)?.data == (isAccepted ? Data([1]) : nil))
        #expect(step.sending == (isAccepted ? nil : "http://h/2 #1"))
    }

    @Test("A rejected attempt gives way to the next one, and what it says then is ignored")
    func again() throws {
        let (relay, old) = try started()
        _ = relay.receiveHead(try head(302), of: 0)
        let step = relay.take(.again(second))
        guard case .send(_, 1, let replaced, _) = step else { throw AppError() }
        #expect(replaced as? ManualExchange === old)
        #expect(relay.receiveHead(try head(200), of: 0).isNone)
        #expect(relay.receive(Ending(nil, try head(200), nil), of: 0).isNone)
        #expect(relay.begin(exchange(second)))
        #expect(relay.signals() == [.resume])
        #expect(relay.receiveHead(try head(200), of: 1).judging == "200 of http://h/2 after 1")
        #expect(relay.take(.accept).isNone)
        #expect(relay.ending(after: relay.receive(Ending(nil, try head(200), nil), of: 1)) != nil)
    }

    @Test("A judge's failure ends the relay, and cancels an attempt that goes on", arguments: [true, false])
    func failed(isUnderWay: Bool) throws {
        let (relay, _) = try started()
        _ =
            isUnderWay
            ? relay.receiveHead(try head(302), of: 0)
            : relay.receive(Ending(nil, try head(302), nil), of: 0)
        #expect(relay.ending(after: relay.take(.fail(AppError())))?.error is AppError)
        #expect(relay.signals() == [isUnderWay ? .cancel : .release])
    }

    @Test("While it is suspended nothing starts and the end is held, but not that of a cancel")
    func suspended() throws {
        let (relay, _) = try started()
        _ = relay.receiveHead(try head(302), of: 0)
        #expect(relay.suspend().isSignal)
        #expect(relay.take(.again(second)).sending == "http://h/2 #1")
        #expect(relay.begin(exchange(second)))
        #expect(relay.signals() == [])
        _ = relay.receive(Ending(nil, try head(200), nil), of: 1)
        let cancelled = Driver(relay)
        #expect(relay.take(.accept).isEnd)
        #expect(relay.ending(after: relay.resume())?.response != nil)
        #expect(relay.ending(after: relay.resume()) == nil)
        #expect(cancelled.ending(after: cancelled.fail(with: AppError()))?.error is AppError)
    }

    @Test("A cancel ends it in any state, at once and only once", arguments: 0..<5)
    func cancelled(state: Int) throws {
        var (relay, _) = try started()
        switch state {
        case 0: relay = Driver(first)
        case 1: break
        case 2: _ = relay.receiveHead(try head(302), of: 0)
        case 3:
            _ = relay.receiveHead(try head(302), of: 0)
            _ = relay.take(.again(second))
        default: _ = relay.suspend()
        }
        #expect(relay.ending(after: relay.fail(with: AppError()))?.error is AppError)
        #expect(relay.ending(after: relay.fail(with: AppError())) == nil)
        #expect(relay.resume().sending == nil)
        #expect(relay.take(.again(second)).isNone)
        #expect(relay.receive(Ending(nil, nil, nil), of: relay.value.rejected).isNone)
        #expect(!relay.begin(exchange(second)))
    }

    @Test("The form in which a request can be sent again is what the judge gets")
    func replaced() throws {
        let (relay, _) = try started()
        relay.replaceRequest(second, of: 0)
        #expect(relay.receiveHead(try head(307), of: 0).judging == "307 of http://h/2 after 0")
        relay.replaceRequest(first, of: 1)
        #expect(relay.value.request?.url == second.url)
    }
}

/// A relay that expectations can change.
private final class Driver {
    private(set) var value: Relay

    init(_ request: URLRequest) { value = Relay(request) { _, _, _ in } }
    init(_ other: Driver) { value = other.value }

    func resume() -> Relay.Step { value.resume() }
    func suspend() -> Relay.Step { value.suspend() }
    func fail(with error: any Error) -> Relay.Step { value.fail(with: error) }
    func begin(_ task: ManualExchange) -> Bool { value.begin(task) }
    func receive(_ ending: Ending, of attempt: Int) -> Relay.Step { value.receive(ending, of: attempt) }
    func take(_ verdict: Relay.Verdict) -> Relay.Step { value.take(verdict) }
    func replaceRequest(_ request: URLRequest, of attempt: Int) {
        value.replaceRequest(request, of: attempt)
    }
    func receiveHead(_ head: HTTPURLResponse, of attempt: Int) -> Relay.Step {
        value.receiveHead(head, of: attempt)
    }

    /// What the completion is called with after a step.
    func ending(after step: Relay.Step) -> Ending? {
        guard case .end(let end)? = value.firstCall().0 else { return nil }
        return end.ending
    }

    /// What is told to the data task.
    func signals() -> [TransferState.Signal] {
        var signals: [TransferState.Signal] = []
        while let (_, signal) = value.nextSignal(isSender: !signals.isEmpty) { signals.append(signal) }
        return signals
    }
}

extension Relay.Step {
    fileprivate var isNone: Bool { if case .none = self { true } else { false } }
    fileprivate var isSignal: Bool { if case .signal = self { true } else { false } }
    fileprivate var isEnd: Bool { if case .end = self { true } else { false } }

    fileprivate var sending: String? {
        guard case .send(let request, let attempt, _, _) = self else { return nil }
        return "\(request.url?.absoluteString ?? "") #\(attempt)"
    }

    fileprivate var judging: String? {
        guard case .judge(let finding, let request, let rejected) = self else { return nil }
        let found = if case .head(let head) = finding { "\(head.statusCode)" } else { "failure" }
        return "\(found) of \(request.url?.absoluteString ?? "") after \(rejected)"
    }
}
