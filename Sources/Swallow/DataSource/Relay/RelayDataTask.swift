import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decides, at the head of each response, whether it is the last.
protocol RelayJudge: Sendable {
    /// Called without a lock held, on the thread that has the head.
    ///
    /// - Parameter rejected: how many attempts there were before.
    func verdict(
        on finding: Relay.Finding, to request: URLRequest, after rejected: Int
    ) -> Relay.Verdict
}

/// Makes the attempts of a relay. Its data tasks hold nothing of the relay once they have ended, so they may be asked later
/// how the transfer went.
protocol RelaySource: Sendable {
    var judge: any RelayJudge { get }
    /// The most that all attempts may take together, from the first `resume()` on; nil for no limit.
    var timeout: Duration? { get }
    /// Those that are under way; nil for a source that is never shut down.
    var openTasks: OpenTasks? { get }
    /// Makes a data task that has not started, and calls `attempt` as it goes on.
    func dataTask(with request: URLRequest, for attempt: RelayAttempt) -> any DataTask
}

extension RelaySource {
    var openTasks: OpenTasks? { nil }
}

/// One sending of a relay's request.
struct RelayAttempt: Sendable {
    fileprivate let relay: RelayDataTask
    /// From 0 on.
    let number: Int

    /// Takes the head as soon as it is here; a source that can't tell leaves it to the end.
    ///
    /// - Returns: whether the attempt is rejected, and its body is for nobody.
    func receiveHead(_ response: HTTPURLResponse) -> Bool { relay.receiveHead(response, of: number) }

    /// Whether the end with a response runs no code of the app's, and nothing that takes long.
    func endsQuickly(with head: ResponseHead) -> Bool { relay.endsQuickly(with: head) }

    /// Keeps the request in a form in which it can be sent again.
    func replaceRequest(_ request: URLRequest) { relay.replaceRequest(request, of: number) }
}

extension RelayAttempt: RequestSender {
    func receive(_ ending: Ending) { relay.receive(ending, of: number) }
}

/// Sends a request, once or again, until the judge of its source accepts what comes back.
///
/// A relay and the data task of its attempt hold each other until the attempt ends.
final class RelayDataTask: DataTask {
    private struct State: Sendable {
        var relay: Relay
        /// Held until the end: it may close its connections when it goes away.
        var source: (any RelaySource)?
        var deadline: ScheduledWork?
        /// When the current attempt was begun, on the monotonic clock.
        var start: UInt64 = 0
        /// The latest data task.
        var latest: (any DataTask)?
        /// The redirects that were followed.
        var hops: [TransferMetrics.Hop] = []
    }

    private let state: Lock<State>
    private let terms = SenderTerms.current

    init(_ request: URLRequest, _ source: any RelaySource, _ completion: @escaping PartQueue.Completion) {
        state = Lock(State(relay: Relay(request, completion), source: source))
    }

    init(
        _ request: URLRequest, _ source: any RelaySource,
        endingWith receiver: PartQueue.EndReceiver
    ) {
        state = Lock(State(relay: Relay(request, PartQueue(endingWith: receiver)), source: source))
    }

    func resume() { change(isOwnCall: true) { $0.resume() } }
    func suspend() { change { $0.suspend() } }
    func cancel() { change { $0.fail(with: URLError(.cancelled)) } }

    func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
        change(isOwnCall: true) { $0.stream(to: receiver) }
    }

    fileprivate func receiveHead(_ response: HTTPURLResponse, of attempt: Int) -> Bool {
        change { $0.receiveHead(response, of: attempt) }
        return state.withLock { $0.relay.rejected > attempt }
    }

    fileprivate func receive(_ ending: Ending, of attempt: Int) {
        change { $0.receive(ending, of: attempt) }
    }

    fileprivate func endsQuickly(with head: ResponseHead) -> Bool {
        // A redirect takes its time; what is none is accepted.
        guard !RedirectPolicy.isRedirect(head.statusCode) else { return false }
        return state.withLock { $0.relay.endsQuickly }?(head) ?? false
    }

    fileprivate func replaceRequest(_ request: URLRequest, of attempt: Int) {
        state.withLock { $0.relay.replaceRequest(request, of: attempt) }
    }
}

// MARK: - Steps

extension RelayDataTask {
    /// Makes a change, and does what follows from it.
    ///
    /// - Parameter isOwnCall: whether this is a call of the task's own, in which it calls no receiver.
    private func change(isOwnCall: Bool = false, _ change: (inout Relay) -> Relay.Step) {
        let (step, (call, isReleased), isDueElsewhere, source, deadline) = state.withLock { state in
            let step = change(&state.relay)
            let first = state.relay.firstCall(isOwnCall: isOwnCall)
            let isDueElsewhere = isOwnCall && state.relay.isCallDueElsewhere
            guard case .end = step else {
                return (step, first, isDueElsewhere, state.source, nil as ScheduledWork?)
            }
            return (step, first, isDueElsewhere, state.source.take(), state.deadline.take())
        }
        deadline?.cancel()
        // The source is let go of last, outside the lock: that may end a thread.
        withExtendedLifetime(source) {
            perform(step, source)
            if isReleased { sendSignals() }
            deliver(call)
            if isDueElsewhere { deliverSoon() }
            if case .end = step { source?.openTasks?.remove(self) }
        }
    }

    /// The turn isn't taken before: who brings a part until then delivers it, so that the sender can be held back.
    private func deliverSoon() {
        DispatchQueue.deliveries.async {
            let (call, isReleased) = self.state.withLock { $0.relay.firstCall() }
            if isReleased { self.sendSignals() }
            self.deliver(call)
        }
    }

    /// Makes the calls that are due; the turn was taken.
    private func deliver(_ first: PartQueue.Call?) {
        var next = first
        while let call = next {
            call()
            if call.isLast { return }
            let (following, isReleased) = state.withLock { $0.relay.nextCall() }
            if isReleased { sendSignals() }
            next = following
        }
    }

    private func perform(_ step: Relay.Step, _ source: (any RelaySource)?) {
        switch step {
        case .none: break
        case .signal: sendSignals()
        case .judge(let finding, let request, let rejected):
            guard let source else { break }
            var verdict = source.judge.verdict(on: finding, to: request, after: rejected)
            if case .again(var next) = verdict, case .head(let head) = finding {
                addHop(request, head.response)
                terms.prepareRedirect?(&next)
                verdict = .again(next)
            }
            change { $0.take(verdict) }
        case .stream(let dataTask, let attempt): stream(dataTask, attempt)
        case .release: break
        case .drop(let dataTask): dataTask.cancel()
        case .send(let request, let attempt, _, let dropped):
            for dataTask in dropped { dataTask.cancel() }
            guard let source else { break }
            if let problem = request.problemToSend { return change { $0.fail(with: problem) } }
            if attempt == 0 {
                if let timeout = source.timeout, startDeadline(timeout) { break }
                if source.openTasks?.add(self) == false { return change { $0.fail(with: Self.shutDown) } }
            }
            send(request, attempt, source)
        case .end: sendSignals()
        }
    }

    private func send(_ request: URLRequest, _ attempt: Int, _ source: any RelaySource) {
        let dataTask = source.dataTask(with: request, for: RelayAttempt(relay: self, number: attempt))
        let start = DispatchTime.now().uptimeNanoseconds
        // Before others can resume it.
        if state.withLock({ $0.relay.streamsAttempt() }) { stream(dataTask, attempt) }
        let (isWanted, isStreamed) = state.withLock { state in
            state.latest = dataTask
            state.start = start
            return (state.relay.begin(dataTask), state.relay.streamsAttempt())
        }
        guard isWanted else {
            // It may have ended before it was taken.
            source.openTasks?.remove(self)
            return dataTask.cancel()
        }
        if isStreamed { stream(dataTask, attempt) }
        sendSignals()
    }

    private static var shutDown: URLError {
        URLError(.cancelled, userInfo: [NSLocalizedDescriptionKey: "the data source was shut down"])
    }

    private func stream(_ dataTask: any DataTask, _ attempt: Int) {
        dataTask.stream { part in self.change { $0.receive(part, of: attempt) } }
    }

    /// Starts the time that all attempts have; says whether there is none.
    private func startDeadline(_ timeout: Duration) -> Bool {
        let clock = terms.clock ?? .system
        let deadline = clock.schedule(after: timeout) { [weak self] in
            let text = "the data source's limit of \(timeout) for the whole request is over"
            self?.change { $0.fail(with: URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: text])) }
        }
        let hasEnded = state.withLock { state in
            state.deadline = deadline
            return state.relay.request == nil
        }
        if hasEnded { deadline.cancel() }
        return timeout <= .zero
    }

    private func sendSignals() {
        TransferState.send { isSender in state.withLock { $0.relay.nextSignal(isSender: isSender) } }
    }
}

// MARK: - What is known of the transfer

extension RelayDataTask {
    var transferProgress: TransferProgress {
        state.withLock { $0.latest }?.transferProgress ?? TransferProgress()
    }

    var transferMetrics: TransferMetrics? {
        let (dataTask, hops) = state.withLock { ($0.latest, $0.hops) }
        guard var metrics = dataTask?.transferMetrics else { return nil }
        metrics.redirects = hops.count
        metrics.hops = hops
        return metrics
    }

    var trailers: Headers { state.withLock { $0.latest }?.trailers ?? [:] }

    private func addHop(_ request: URLRequest, _ head: HTTPURLResponse) {
        state.withLock { state in
            let nanoseconds = DispatchTime.now().uptimeNanoseconds - state.start
            let duration = Duration.nanoseconds(Int64(nanoseconds))
            let start = Date(timeIntervalSinceNow: -Double(nanoseconds) / 1e9)
            state.hops.append(.init(request: request, head: head, start: start, duration: duration))
        }
    }
}
