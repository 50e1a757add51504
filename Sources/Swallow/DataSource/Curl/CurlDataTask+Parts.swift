#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking

    extension CurlDataTask {
        func stream(to receiver: @escaping @Sendable (ResponsePart) -> Void) {
            let (work, wasStarted) = state.withLock { state -> (Work?, Bool) in
                guard let work = state.work, state.queue == nil else { return (nil, false) }
                var queue = PartQueue { self.end(Ending($0, $1, $2)) }
                if state.wasStarted, !state.isRunning { queue.suspend() }
                _ = queue.stream { self.give($0, work, receiver) }
                state.queue = queue
                return (work, state.wasStarted)
            }
            if let work, wasStarted { attend(work) }
        }

        /// Gives a part to the receiver; of a response that is rejected, none.
        private func give(_ part: ResponsePart, _ work: Work, _ receiver: PartQueue.Receiver) {
            if case .head(let response) = part, work.hop.receiveHead(response) { return reject() }
            receiver(part)
        }

        /// Lets go of a response that was rejected.
        func reject() {
            let (work, queue) = state.withLock { state in
                state.isRejected = true
                return (state.work.take(), state.queue.take())
            }
            withExtendedLifetime(queue) { if let work { attend(work) } }
        }

        /// Makes the calls that are due; the turn was taken.
        func deliver() {
            while true {
                let (call, work) = state.withLock { state -> (PartQueue.Call?, Work?) in
                    let wasFull = state.queue?.isFull == true
                    let call = state.queue?.next()
                    return (call, wasFull && state.queue?.isFull == false ? state.work : nil)
                }
                if let work { attend(work) }
                guard let call else { break }
                call()
            }
        }
    }

    // MARK: - The loop's side

    extension CurlDataTask {
        /// Takes the lines of the head for the receiver.
        func stream(head lines: [UInt8]) {
            guard let work = state.withLock({ $0.work }), let response = response(lines, work) else { return }
            deliver { state in
                state.response = response
                state.queue?.add(.head(response))
            }
        }

        /// Takes bytes for the receiver; says whether no more are wanted for now.
        func stream(_ bytes: Data) -> Bool {
            deliver { state in
                guard state.response != nil else { return false }
                state.queue?.add(.bytes(bytes))
                return state.queue?.isFull == true
            }
        }

        func end(_ outcome: CurlOutcome, _ response: HTTPURLResponse, _ work: Work) {
            let ending: Ending =
                switch outcome {
                case .response(_, let body): Ending(body, response, nil)
                case .failure(let failure, _):
                    Ending(nil, response, failure.error(url: work.request.url))
                }
            deliver { $0.queue?.end(with: ending) }
        }

        /// Makes a change, and has the calls made that it brings about.
        private func deliver<Result>(_ change: (inout State) -> Result) -> Result {
            let (result, work) = state.withLock { state -> (Result, Work?) in
                let result = change(&state)
                return (result, state.queue?.takeTurn() == true ? state.work : nil)
            }
            if let work { work.loop.completions.async { self.deliver() } }
            return result
        }
    }

    // MARK: - What is known of the transfer

    extension CurlDataTask {
        /// The loop keeps count of a transfer for which this was asked, from then on.
        var transferProgress: TransferProgress {
            let (progress, work) = state.withLock { state -> (TransferProgress, Work?) in
                if let report = state.report { return (report.progress, nil) }
                if let progress = state.progress { return (progress, nil) }
                state.progress = TransferProgress()
                return (TransferProgress(), state.wasStarted ? state.work : nil)
            }
            if let work { attend(work) }
            return progress
        }

        var transferMetrics: TransferMetrics? { state.withLock { $0.report }?.metrics }
        var trailers: Headers { state.withLock { $0.report }?.trailers ?? [:] }
    }
#endif
