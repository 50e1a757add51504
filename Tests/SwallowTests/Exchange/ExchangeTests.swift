import Foundation
import TestSupport
import Testing

@testable import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("An exchange's decisions")
struct ExchangeTests {
    private let request = URLRequest.to("http://h/1")

    private func carrier() -> ManualExchange {
        ManualExchange(request: request, answersInResume: nil) { _, _, _ in }
    }

    private func head(_ status: Int) throws -> HTTPURLResponse {
        try #require(carrier().response(status: status))
    }

    private func ending(_ status: Int, _ data: Data? = nil) throws -> Ending {
        Ending(data, try head(status), nil)
    }

    /// An exchange whose first hop is under way, and its carrier.
    private func started(isStreamed: Bool = false) -> (Driver, ManualExchange) {
        let exchange = Driver()
        if isStreamed { #expect(exchange.stream() == nil) }
        #expect(exchange.resume())
        let carrier = carrier()
        #expect(exchange.begin(carrier, of: 0))
        #expect(exchange.signals() == [.resume])
        return (exchange, carrier)
    }

    @Test("It starts once, and its carrier runs unless the user or a full buffer holds it")
    func starts() {
        let exchange = Driver()
        exchange.suspend()
        #expect(exchange.resume())
        #expect(!exchange.resume())
        #expect(exchange.begin(carrier(), of: 0))
        exchange.hold(true)
        #expect(exchange.signals() == [])
        exchange.hold(false)
        #expect(exchange.signals() == [.resume])
        exchange.suspend()
        #expect(exchange.signals() == [.suspend])
    }

    @Test(
        "Where nobody can suspend it meanwhile, the start is the sender's only call, and a cancel doesn't wait for it"
    )
    func startedAlone() {
        var control = CarrierControl()
        let isStarted = control.resume() && control.begin(carrier())
        let start = control.nextSignal(isSender: false, isAlone: true)?.signal
        let isEnded = control.end(cancelling: true)
        let cancel = control.nextSignal(isSender: false)?.signal
        #expect(isStarted && start == .resume && isEnded && cancel == .cancel)
    }

    @Test("A hold that ends while a thread is inside resume() leads to one more, unless it is suspended")
    func heldWhileResuming() {
        var control = CarrierControl()
        let isStarted = control.resume() && control.begin(carrier())
        let start = control.nextSignal(isSender: false)?.signal
        control.hold(true)
        let early = control.nextSignal(isSender: false)?.signal
        control.hold(false)
        let other = control.nextSignal(isSender: false)?.signal
        let again = control.nextSignal(isSender: true)?.signal
        let last = control.nextSignal(isSender: true)?.signal
        #expect(isStarted && start == .resume && early == nil && other == nil)
        #expect(again == .resume && last == nil)

        control.hold(true)
        let pause = control.nextSignal(isSender: false)?.signal
        let none = control.nextSignal(isSender: true)?.signal
        control.hold(false)
        let goOn = control.nextSignal(isSender: false)?.signal
        control.hold(true)
        control.hold(false)
        control.suspend()
        let suspend = control.nextSignal(isSender: true)?.signal
        let rest = control.nextSignal(isSender: true)?.signal
        #expect(pause == .suspend && none == nil && goOn == .resume && suspend == .suspend && rest == nil)
    }

    @Test("What no judge looks at is delivered at once: parts, then the end, and the first end counts")
    func unjudged() throws {
        let (exchange, _) = started(isStreamed: true)
        #expect(exchange.receive(bytes: "early") == "none")
        #expect(exchange.receive(head: try head(200)) == "head 200")
        #expect(exchange.value.isAccepted)
        #expect(exchange.receive(bytes: "a") == "bytes a")
        #expect(exchange.receive(try ending(200)) == "end 200")
        #expect(exchange.receive(try ending(500)) == "none")
        #expect(exchange.receive(bytes: "b") == "none")
    }

    @Test("A head that a carrier tells early is judged once; the end follows where it is accepted")
    func judgedHead() throws {
        let (exchange, _) = started()
        #expect(exchange.tell(head: try head(302)) == "judge 302")
        #expect(exchange.tell(head: try head(302)) == "none")
        #expect(exchange.accepted() == [])
        #expect(exchange.receive(try ending(302), isJudged: true) == "end 302")
    }

    @Test(
        "Where no head comes before, the end is judged: a response, or a failure; neither is delivered as it is"
    )
    func judgedEnd() throws {
        var (exchange, _) = started()
        #expect(exchange.receive(try ending(503), isJudged: true) == "judge 503")
        #expect(exchange.accepted() == ["end 503"])
        (exchange, _) = started()
        let failure = Ending.failure(URLError(.networkConnectionLost))
        #expect(exchange.receive(failure, isJudged: true) == "judge failure")
        #expect(exchange.accepted() == ["end failure"])
        (exchange, _) = started()
        #expect(exchange.receive(Ending(nil, nil, nil), isJudged: true) == "end nothing")
    }

    @Test(
        "What comes while judges look waits, and is delivered in order; what comes meanwhile waits behind it")
    func waits() throws {
        let (exchange, _) = started(isStreamed: true)
        #expect(exchange.receive(head: try head(200), isJudged: true) == "judge 200")
        #expect(exchange.receive(bytes: "a") == "none")
        #expect(exchange.nextAccepted() == "head 200")
        #expect(exchange.receive(try ending(200), isJudged: true) == "none")
        #expect(exchange.accepted() == ["bytes a", "end 200"])
        #expect(exchange.nextAccepted() == nil)
    }

    @Test("A failure that comes while judges look at a head is judged once they have accepted it")
    func failsWhileJudged() throws {
        let (exchange, _) = started()
        let head = try head(200)
        #expect(exchange.tell(head: head) == "judge 200")
        #expect(exchange.receive(.failure(AppError()), isJudged: true) == "none")
        #expect(exchange.nextAccepted(after: .head(ResponseHead(head))) == "end failure")
        #expect(exchange.receive(.failure(AppError()), isJudged: true) == "judge failure")
        #expect(exchange.reject(because: .retry)?.hop == 1)
    }

    @Test("What interrupts a try that nobody judges is its end at once")
    func interrupted() throws {
        let (exchange, _) = started()
        #expect(exchange.interrupt(isJudged: false) == "end failure")
        #expect(exchange.receive(try ending(200)) == "none")
        let (judged, _) = started()
        #expect(judged.interrupt() == "judge failure")
        #expect(judged.accepted() == ["end failure"])
    }

    @Test("What interrupts a try while judges look is judged next, in place of what they looked at")
    func interruptedJudges() throws {
        let (exchange, _) = started()
        #expect(exchange.tell(head: try head(302)) == "judge 302")
        #expect(exchange.interruption(of: 0) == "none")
        #expect(exchange.interrupt() == "none")
        #expect(exchange.receive(try ending(302), isJudged: true) == "none")
        #expect(exchange.accepted() == [] && exchange.reject(because: .redirect) == nil)
        #expect(exchange.interruption(of: 1) == "none")
        #expect(exchange.interruption(of: 0) == "judge failure")
        #expect(exchange.interruption(of: 0) == "none")
        #expect(exchange.accepted() == ["end failure"])
    }

    @Test("What an interruption takes the place of is let go of by the exchange's owner, outside its lock")
    func interruptedRest() throws {
        let (exchange, _) = started()
        #expect(exchange.tell(head: try head(302)) == "judge 302")
        let isGone = Event()
        #expect(exchange.receive(.failure(TokenError(isGone)), isJudged: true) == "none")
        _ = exchange.interrupt()
        let interruption = exchange.value.takeInterruption(of: 0)
        withExtendedLifetime(interruption) { #expect(!isGone.hasHappened) }
    }

    @Test("What interrupts a try while its parts are delivered takes the place of those that wait")
    func interruptedDelivery() throws {
        let (exchange, _) = started(isStreamed: true)
        #expect(exchange.receive(head: try head(200), isJudged: true) == "judge 200")
        #expect(exchange.receive(bytes: "a") == "none")
        #expect(exchange.nextAccepted() == "head 200")
        #expect(exchange.interrupt() == "none")
        #expect(exchange.nextAccepted() == nil)
        #expect(exchange.interruption(of: 0) == "judge failure")
        #expect(exchange.accepted() == ["end failure"])
    }

    @Test("Of an accepted hop, a failure is judged once more: a download may go on")
    func brokenOff() throws {
        let (exchange, carrier) = started(isStreamed: true)
        #expect(exchange.receive(head: try head(200)) == "head 200")
        let failure = Ending.failure(URLError(.networkConnectionLost))
        #expect(exchange.receive(failure, isJudged: true) == "judge failure")
        let rejection = try #require(exchange.reject(because: .retry))
        #expect(rejection.hop == 1 && rejection.hasEnded && rejection.carrier as? ManualExchange === carrier)
        #expect(!exchange.value.isAccepted && exchange.value.attempt.retries == 1)
    }

    @Test("A rejected hop gives way to the next one, and what it says then is ignored")
    func again() throws {
        let (exchange, old) = started()
        #expect(exchange.tell(head: try head(302)) == "judge 302")
        let rejection = try #require(exchange.reject(because: .redirect))
        #expect(rejection.carrier as? ManualExchange === old && rejection.cancelled.isEmpty)
        #expect(exchange.reject(because: .redirect) == nil)
        #expect(exchange.tell(head: try head(200), hop: 0) == "none")
        #expect(exchange.receive(try ending(200), hop: 0) == "none")
        #expect(!exchange.begin(carrier(), of: 0))
        #expect(exchange.begin(carrier(), of: 1))
        #expect(exchange.signals() == [.resume])
        #expect(exchange.receive(try ending(200), hop: 1) == "end 200")
    }

    @Test(
        "A rejected hop that streams is drained up to 64 KB, unless it is suspended, and let go of at its end"
    )
    func drained() throws {
        let (exchange, old) = started(isStreamed: true)
        #expect(exchange.receive(head: try head(503), isJudged: true) == "judge 503")
        #expect(exchange.reject(because: .retry)?.cancelled.count == 0)
        let other = Driver(exchange)
        #expect(exchange.receive(bytes: String(repeating: "x", count: 64 * 1024), hop: 0) == "none")
        #expect(exchange.receive(bytes: "x", hop: 0) == "cancel")
        #expect(other.receive(try ending(503), hop: 0) == "release")
        let (suspended, carrier) = started(isStreamed: true)
        suspended.suspend()
        #expect(suspended.signals() == [.suspend])
        #expect(suspended.receive(head: try head(503), isJudged: true) == "judge 503")
        let cancelled = try #require(suspended.reject(because: .retry)?.cancelled)
        #expect(cancelled.map { $0 as? ManualExchange === carrier } == [true])
        withExtendedLifetime(old) {}
    }

    @Test(
        "A redirect stays in the try; every other cause begins a new one, which knows of no redirect",
        arguments: [Exchange.Cause.redirect, .retry, .offline, .refusal, .range, .validation])
    func tries(cause: Exchange.Cause) throws {
        let (exchange, _) = started()
        exchange.value.redirects = [
            TransferMetrics.Hop(request: request, head: try head(302), start: Date(), duration: .zero)
        ]
        exchange.value.attempt.ask(
            by: try #require(Validators(entityTag: "\"a\"", lastModified: nil, url: nil)))
        #expect(exchange.receive(try ending(503), isJudged: true) == "judge 503")
        #expect(exchange.reject(because: cause)?.hop == 1)
        let attempt = exchange.value.attempt
        #expect(exchange.value.redirects.count == (cause == .redirect ? 1 : 0))
        #expect(attempt.rejected == (cause == .redirect ? 0 : 1))
        #expect(attempt.retries == (cause == .retry || cause == .offline ? 1 : 0))
        #expect(attempt.offlineRetries == (cause == .offline ? 1 : 0))
        #expect(attempt.refusals == (cause == .refusal ? 1 : 0))
        #expect((attempt.validators == nil) == (cause == .validation))
    }

    @Test("Parts are wanted of each hop's carrier, which is told once")
    func streams() throws {
        let (exchange, carrier) = started()
        #expect(!exchange.streamsHop(0))
        let told = try #require(exchange.stream())
        #expect(told.0 as? ManualExchange === carrier && told.1 == 0)
        #expect(exchange.stream() == nil)
        #expect(exchange.receive(try ending(503), isJudged: true) == "judge 503")
        _ = exchange.reject(because: .retry)
        #expect(!exchange.streamsHop(0))
        #expect(exchange.streamsHop(1))
        #expect(!exchange.streamsHop(1))
    }

    @Test("Once it has ended, in whatever state, nothing is delivered, judged or begun", arguments: 0..<4)
    func ended(state: Int) throws {
        var (exchange, _) = started()
        switch state {
        case 0: exchange = Driver()
        case 1: break
        case 2: #expect(exchange.tell(head: try head(302)) == "judge 302")
        default:
            #expect(exchange.tell(head: try head(302)) == "judge 302")
            #expect(exchange.reject(because: .redirect) != nil)
        }
        #expect(exchange.end())
        #expect(!exchange.end())
        #expect(!exchange.resume())
        let hop = exchange.value.hop
        #expect(exchange.receive(try ending(200), hop: hop) == "none")
        #expect(exchange.accepted() == [])
        #expect(exchange.reject(because: .redirect) == nil)
        #expect(!exchange.begin(carrier(), of: hop))
        #expect(exchange.stream() == nil)
    }
}

/// An exchange that expectations can change, and whose steps they can read.
private final class Driver {
    var value: Exchange

    init() { value = Exchange() }
    init(_ other: Driver) { value = other.value }

    func resume() -> Bool { value.control.resume() }
    func suspend() { value.control.suspend() }
    func hold(_ isHeld: Bool) { value.control.hold(isHeld) }
    func end() -> Bool { value.control.end(cancelling: true) }
    func begin(_ carrier: ManualExchange, of hop: Int) -> Bool { value.begin(carrier, of: hop) }
    func stream() -> (any DataTask, Int)? { value.stream() }
    func streamsHop(_ hop: Int) -> Bool { value.streamsHop(hop) }
    func interrupt(isJudged: Bool = true) -> String {
        text(of: value.interrupt(with: AppError(), isJudged: isJudged), .end(.failure(AppError())))
    }
    func interruption(of hop: Int) -> String {
        value.takeInterruption(of: hop).map { "judge \($0.error is AppError ? "failure" : "")" } ?? "none"
    }
    func reject(because cause: Exchange.Cause) -> Exchange.Rejection? {
        value.reject(value.hop, because: cause)
    }

    func tell(head: HTTPURLResponse, hop: Int = 0) -> String {
        text(of: value.receiveHead(ResponseHead(head), of: hop, isJudged: true))
    }

    func receive(head: HTTPURLResponse, isJudged: Bool = false) -> String {
        text(of: value.receive(.head(head), of: value.hop, isJudged: isJudged), .part(.head(head)))
    }

    func receive(bytes: String, hop: Int? = nil) -> String {
        let part = ResponsePart.bytes(Data(bytes.utf8))
        return text(of: value.receive(part, of: hop ?? value.hop, isJudged: true), .part(part))
    }

    func receive(_ ending: Ending, hop: Int? = nil, isJudged: Bool = false) -> String {
        text(of: value.receive(ending, of: hop ?? value.hop, isJudged: isJudged), .end(ending))
    }

    func nextAccepted(after finding: Exchange.Finding = .failure(AppError())) -> String? {
        value.nextAccepted(of: value.hop, after: finding).map(text)
    }

    func accepted() -> [String] {
        var items: [String] = []
        while let item = nextAccepted() { items.append(item) }
        return items
    }

    /// What is told to the carrier.
    func signals() -> [CarrierControl.Signal] {
        var signals: [CarrierControl.Signal] = []
        while let call = value.control.nextSignal(isSender: !signals.isEmpty) {
            signals.append(call.signal)
        }
        return signals
    }

    /// - Parameter item: what came, which the step may deliver.
    private func text(of step: Exchange.Step, _ item: Exchange.Item? = nil) -> String {
        switch step {
        case .none: "none"
        case .judge(.head(let head)): "judge \(head.statusCode)"
        case .judge(.failure): "judge failure"
        case .deliver: item.map(text) ?? "nothing"
        case .cancel: "cancel"
        case .release: "release"
        }
    }

    private func text(_ item: Exchange.Item) -> String {
        switch item {
        case .part(.head(let head)): "head \(head.statusCode)"
        case .part(.bytes(let bytes)): "bytes \(String(decoding: bytes, as: UTF8.self))"
        case .end(let ending):
            if ending.error != nil {
                "end failure"
            } else {
                "end \(ending.head.map { "\($0.statusCode)" } ?? "nothing")"
            }
        }
    }
}
