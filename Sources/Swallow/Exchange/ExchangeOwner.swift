import Foundation

protocol ExchangeOwner: AnyObject, Sendable {
    func withExchange<Result>(_ change: (inout Exchange) -> Result) -> Result

    /// Whether follow-up policies decide about a head or, for `nil`, a failure. Must not run an app's code.
    func needsDecision(on head: ResponseHead?) -> Bool
    var policies: [any FollowUpPolicy] { get }
    /// Whether the transfer's thread must run no code that may block, and no app's code.
    var mustLeaveTransferThread: Bool { get }
    var clock: any ServiceClock { get }

    /// Called before follow-up policies decide about a head.
    func noteHead(_ head: ResponseHead)
    /// By default, asks the policies after a failure that needs a decision, and otherwise delivers the result.
    func receiveCompletion(_ result: TransferResult, from number: Int)
    /// Called before the body parts, if the exchange delivered parts when it accepted the head.
    func deliverHead(_ head: ResponseHead)
    func receiveBodyPart(_ bodyPart: Data, from number: Int) -> Flow
    func deliverResult(_ result: TransferResult, after head: ResponseHead?)
    func failExchange(with error: any Error)
    func sendFollowUp(_ followUp: FollowUp, after outcome: TransferOutcome, as number: Int)
    func perform(_ call: Exchange.Call?)
}

extension ExchangeOwner {
    func leaveTransferThread(_ body: @escaping @Sendable () -> Void) {
        if mustLeaveTransferThread { WorkerPool.shared.async(body) } else { body() }
    }

    func receiveHead(_ head: ResponseHead, from number: Int) -> HeadAnswer {
        let needsDecision = needsDecision(on: head)
        let (step, deliversParts, transfer) = withExchange { exchange in
            let step = exchange.receiveHead(head, from: number, needsDecision: needsDecision)
            return (step, exchange.deliversParts, needsDecision ? exchange.transfer : nil)
        }
        switch step {
        case .drop: return .drain
        case .deliver:
            if deliversParts { deliverHead(head) }
            return .accept
        case .decide(let outcome):
            guard mustLeaveTransferThread else {
                var answer = HeadAnswer.drain
                decide(on: outcome, of: number) { answer = $0 }
                return answer
            }
            leaveTransferThread { self.decide(on: outcome, of: number) { transfer?.answer($0) } }
            return .later
        }
    }

    func receiveCompletion(_ result: TransferResult, from number: Int) {
        leaveTransferThread { self.decideOrDeliver(result, from: number) }
    }

    func decideOrDeliver(_ result: TransferResult, from number: Int) {
        let needsDecision = if case .failure = result { needsDecision(on: nil) } else { false }
        let (step, head) = withExchange { exchange in
            let head = exchange.acceptedHead
            return (exchange.receiveCompletion(result, from: number, needsDecision: needsDecision), head)
        }
        switch step {
        case .drop: break
        case .decide(let outcome): decide(on: outcome, of: number) { _ in }
        case .deliver: deliverResult(result, after: head)
        }
    }

    /// Decides on an outcome. A head's transfer receives the answer before the next request is sent.
    private func decide(on outcome: TransferOutcome, of number: Int, answer: (HeadAnswer) -> Void) {
        if let head = outcome.head { noteHead(head) }
        switch policies.decision(on: outcome, in: withExchange { $0 }) {
        case .final:
            let (isAccepted, deliversParts) = withExchange {
                ($0.acceptOutcome(of: number), $0.deliversParts)
            }
            guard isAccepted else { return answer(.drain) }
            switch outcome {
            case .head(let head):
                if deliversParts { deliverHead(head) }
                answer(.accept)
            case .failure(let error, let head): deliverResult(.failure(error, head), after: nil)
            case .interruption(let error, let head): deliverResult(.failure(error, nil), after: head)
            }
        case .fail(let error):
            answer(.drain)
            failExchange(with: error)
        case .sendAgain(let followUp):
            let again = withExchange { $0.sendAgain(because: followUp.cause, after: number) }
            again?.drained?.cancel()
            answer(.drain)
            if let again { sendFollowUp(followUp, after: outcome, as: again.next) }
        }
    }
}

extension ExchangeOwner {
    func receiver(_ number: Int) -> TransferReceiver { TransferReceiver(owner: self, number: number) }

    func createTransfer(for request: URLRequest, through source: any TransferSource, number: Int) {
        let transfer = source.problem(with: request).map(FailedTransfer.init) ?? source.transfer(for: request)
        begin(transfer, number: number, sending: request, through: source)
    }

    /// Begins a transfer, or cancels an unwanted one. The data source's timeout limits a new attempt.
    func begin(
        _ transfer: any Transfer, number: Int, sending request: URLRequest? = nil,
        through source: (any TransferSource)? = nil
    ) {
        let (isWanted, newPermit, failure, call) = withExchange { exchange in
            let isWanted = exchange.begin(transfer, number: number, sending: request)
            let attempts = isWanted ? source?.openAttempts : nil
            let newPermit = attempts.flatMap { exchange.openAttempt(in: $0, for: self) }
            let failure = exchange.attemptFailure
            return (isWanted, newPermit, failure, isWanted && failure == nil ? exchange.nextCall() : nil)
        }
        guard isWanted else { return transfer.cancel() }
        // The limit precedes the start, because the response may arrive immediately.
        if let limit = source?.attemptTimeout { newPermit?.limit(to: limit, clock) }
        if let failure { transfer.fail(with: failure, for: receiver(number)) } else { makeCalls(call) }
    }

    func failAttempt(_ id: Int, with error: any Error) {
        guard let (transfer, number) = withExchange({ $0.failAttempt(id, with: error) }) else { return }
        transfer.fail(with: error, for: receiver(number))
    }

    func updateTransfer() {
        perform(withExchange { $0.nextCall() })
    }

    func perform(_ call: Exchange.Call?) { makeCalls(call) }

    func makeCalls(_ first: Exchange.Call?) {
        var next = first
        while let call = next {
            let transfer = call.transfer
            switch call.kind {
            case .start(let inParts): transfer.start(inParts: inParts, for: receiver(call.number))
            case .deliverParts: transfer.deliverParts()
            case .setPause(let pause): transfer.setPause(pause)
            case .cancel: transfer.cancel()
            }
            next = withExchange { $0.nextCall(after: call) }
        }
    }
}
