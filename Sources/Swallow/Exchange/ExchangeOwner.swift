import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Keeps an exchange under a lock, and carries out its decisions.
protocol ExchangeOwner: AnyObject, Sendable {
    func withExchange<Result>(_ change: (inout Exchange) -> Result) -> Result

    /// Whether judges look at a response with this status; nil stands for a failure.
    func isJudged(after status: Int?) -> Bool
    /// The judges, in the order in which they are asked.
    var judges: [any Judge] { get }

    /// Whether carriers should report the head of a success before its body has ended, if they can.
    var wantsHeads: Bool { get }
    /// Takes the head of an accepted hop whose end is still to come.
    func noteHead(_ head: ResponseHead)

    // Carriers call these. All owners use the defaults below. They are requirements so that the compiler specializes
    // the defaults for each owner.

    func receive(_ part: ResponsePart, of hop: Int)
    func receive(_ ending: Ending, of hop: Int)
    /// Takes the end of a hop on a thread that other requests wait for, if that runs no app code and nothing slow.
    ///
    /// - Returns: false if it didn't take the end; `receive` then takes it on another thread.
    func receiveAtOnce(_ ending: Ending, of hop: Int) -> Bool
    /// Takes the head of a hop. If the hop is rejected, its carrier drops the rest by itself.
    ///
    /// - Returns: whether the hop is rejected.
    func receive(head: HTTPURLResponse, of hop: Int) -> Bool
    /// Replaces a hop's request once its body's stream was opened: redirects are made of the new form.
    func replaceRequest(_ request: URLRequest, of hop: Int)

    /// Takes what an accepted hop brings: one call at a time, in order.
    func deliver(_ item: Exchange.Item)
    /// Ends the exchange with a judge's error.
    ///
    /// - Parameter hasEnded: whether the hop's carrier has ended.
    func fail(with error: any Error, hasEnded: Bool)
    /// Ends the current attempt with an error, as if its data source had failed.
    ///
    /// - Parameter attempt: The number of rejected attempts before the one to end. If another attempt is under way,
    ///   the call does nothing. `nil` ends any attempt.
    func interrupt(with error: any Error, in attempt: Int?)
    /// Sends another request in place of a rejected hop's.
    ///
    /// - Parameter hop: the number of the new hop.
    func send(_ again: Exchange.Again, after finding: Exchange.Finding, as hop: Int)
    /// Runs a closure that calls a carrier.
    func callCarrier(_ body: () -> Void)
}

extension ExchangeOwner {
    var wantsHeads: Bool { false }

    func noteHead(_ head: ResponseHead) {}

    func receiveAtOnce(_ ending: Ending, of hop: Int) -> Bool { false }

    func receive(_ part: ResponsePart, of hop: Int) {
        let isJudged = if case .head(let head) = part { isJudged(after: head.statusCode) } else { true }
        let step = withExchange { $0.receive(part, of: hop, isJudged: isJudged) }
        if case .deliver = step { return deliver(.part(part)) }
        perform(step, of: hop)
    }

    func receive(_ ending: Ending, of hop: Int) {
        let isJudged = isJudged(after: ending.error == nil ? ending.head?.statusCode : nil)
        let step = withExchange { $0.receive(ending, of: hop, isJudged: isJudged) }
        if case .deliver = step { return deliver(.end(ending)) }
        perform(step, of: hop)
    }

    func receive(head: HTTPURLResponse, of hop: Int) -> Bool {
        guard isJudged(after: head.statusCode) else { return withExchange { $0.hop > hop } }
        perform(
            withExchange { $0.receiveHead(ResponseHead(head), of: hop, isJudged: true) }, of: hop)
        return withExchange { $0.hop > hop }
    }

    func replaceRequest(_ request: URLRequest, of hop: Int) {
        withExchange { exchange in
            if exchange.hop == hop, exchange.request != nil { exchange.request = request }
        }
    }

    func interrupt(with error: any Error, in attempt: Int?) {
        let isJudged = isJudged(after: nil)
        let (carrier, hop, step) = withExchange { exchange -> ((any DataTask)?, Int, Exchange.Step) in
            if let attempt, attempt != exchange.attempt.rejected { return (nil, exchange.hop, .none) }
            let carrier = exchange.control.current
            return (carrier, exchange.hop, exchange.interrupt(with: error, isJudged: isJudged))
        }
        if case .deliver = step { deliver(.end(.failure(error))) } else { perform(step, of: hop) }
        carrier?.cancel()
    }

    private func perform(_ step: Exchange.Step, of hop: Int) {
        switch step {
        case .none, .release, .deliver: break
        case .judge(let finding): judge(finding, of: hop)
        case .cancel(let carrier): carrier.cancel()
        }
    }

    private func judge(_ finding: Exchange.Finding, of hop: Int) {
        switch judges.verdict(on: finding, in: withExchange { $0 }) {
        case .accept:
            if case .head(let head) = finding, wantsHeads, !withExchange({ $0.hasEnd }) { noteHead(head) }
            return accept(finding, of: hop)
        case .fail(let error):
            fail(with: error, hasEnded: withExchange { $0.hasEnd })
        case .again(let again):
            guard let rejection = withExchange({ $0.reject(hop, because: again.cause) }) else { break }
            for carrier in rejection.cancelled { carrier.cancel() }
            note(rejection, because: again.cause)
            send(again, after: finding, as: rejection.hop)
        }
        judgeInterruption(withExchange { $0.takeInterruption(of: hop) }, of: hop)
    }

    private func judgeInterruption(_ interruption: Exchange.Interruption?, of hop: Int) {
        if let interruption { judge(.failure(interruption.error), of: hop) }
    }

    /// Delivers what came while judges looked, until there is no more, or the try was interrupted.
    private func accept(_ finding: Exchange.Finding, of hop: Int) {
        while true {
            let (next, interruption) = withExchange { exchange in
                let item = exchange.nextAccepted(of: hop, after: finding)
                return (item, item == nil ? exchange.takeInterruption(of: hop) : nil)
            }
            switch next {
            case nil: return judgeInterruption(interruption, of: hop)
            // Judges look at a failure after the head, too. It is the last item.
            case .end(let ending)? where ending.error != nil && finding.error == nil:
                return receive(ending, of: hop)
            case let item?: deliver(item)
            }
        }
    }

    /// Notes a redirect that is followed.
    func noteRedirect(_ head: HTTPURLResponse) {
        withExchange { exchange in
            guard let request = exchange.request else { return }
            let nanoseconds = DispatchTime.now().uptimeNanoseconds - exchange.start
            exchange.redirects.append(
                TransferMetrics.Hop(
                    request: request, head: head,
                    start: Date(timeIntervalSinceNow: -Double(nanoseconds) / 1e9),
                    duration: .nanoseconds(Int64(nanoseconds))))
        }
    }

    /// Counts how often a rejected hop's request was sent.
    private func note(_ rejection: Exchange.Rejection, because cause: Exchange.Cause) {
        guard let carrier = rejection.carrier else { return }
        if rejection.hasEnded {
            let count = carrier.transferMetrics?.attempts ?? 1
            if count > 1 { withExchange { $0.attempt.noteSendings(count) } }
        } else if cause == .redirect {
            withExchange { $0.redirected.append(carrier) }
        }
    }
}

/// Decides, at a hop's head or at an end without one, whether to accept the hop or to send another request.
///
/// An exchange's owner asks its judges in their order, without a lock held, on the thread that has the finding.
protocol Judge: Sendable {
    /// - Returns: nil to leave the decision to the next judge. If all judges return nil, the hop is accepted.
    func verdict(on finding: Exchange.Finding, in exchange: Exchange) -> Exchange.Verdict?
}

extension [any Judge] {
    func verdict(on finding: Exchange.Finding, in exchange: Exchange) -> Exchange.Verdict {
        for judge in self {
            if let verdict = judge.verdict(on: finding, in: exchange) { return verdict }
        }
        return .accept
    }
}
