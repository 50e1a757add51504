#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking

    /// The carrier of a hop through the event loop.
    final class CurlDataTask: DataTask {
        struct State: Sendable {
            /// Nil once the task has ended, so that it doesn't keep the loop alive.
            var work: Work?
            var isRunning = false
            var wasStarted = false
            /// Whether the task ended because its response was rejected.
            var isRejected = false
            /// The request, until the loop has taken it.
            var next: CurlRequest?
            /// Why the request can't be sent.
            var problem: (any Error)?
            /// The response whose head was streamed.
            var response: HTTPURLResponse?
            /// How far the transfer is; nil until `transferProgress` is read.
            var progress: TransferProgress?
            /// How the transfer went, once it has ended.
            var report: CurlReport?
        }

        struct Work: Sendable {
            let request: URLRequest
            let hop: Hop
            let loop: CurlLoop
        }

        /// What the loop should do with the task; it asks after each change.
        enum Order {
            case start(CurlRequest)
            /// Go on; where too much waits for the receiver, with sending only.
            case proceed(isFull: Bool)
            case pause, abort
            /// Let the rest of a short body come, so that the connection is kept.
            case drain
        }

        /// What the owner wants besides the whole body at its end.
        struct Wishes {
            var parts = false
            var progress = false
            /// The head of a success, before its body has ended.
            var head = false

            var isAny: Bool { parts || progress || head }
        }

        let outbox: Outbox<State>
        private let url: URL?

        init(_ request: URLRequest, _ loop: CurlLoop, _ hop: Hop) {
            var state = State(work: Work(request: request, hop: hop, loop: loop))
            if request.httpBody != nil || request.httpBodyStream == nil {
                do { state.next = try CurlRequest(request, nil) } catch { state.problem = error }
            }
            outbox = Outbox(state, hop, run: loop.run)
            url = request.url
        }

        func resume() {
            let (work, wasStarted, problem) = outbox.change(isOwnCall: true) { state, queue in
                defer { (state.wasStarted, state.isRunning) = (true, true) }
                queue.resume()
                return (state.work, state.wasStarted, state.problem.take())
            }
            guard let work else { return }
            if let problem {
                fail(problem, work)
            } else if !wasStarted, work.request.httpBody == nil, work.request.httpBodyStream != nil {
                // Reading the stream may block.
                work.loop.completions.async { self.readStream(work) }
            } else {
                // Also if it is running: the loop may have paused it, since its hop was held.
                attend(work)
            }
        }

        func suspend() {
            let work = outbox.update { state, queue in
                defer { state.isRunning = false }
                if state.wasStarted { queue.suspend() }
                return state.isRunning ? state.work : nil
            }
            if let work { attend(work) }
        }

        func cancel() {
            // The receiver and the request's body are released outside the lock.
            let (work, wasStarted, queue, next) = outbox.update { state, queue in
                (state.work.take(), state.wasStarted, queue.abandon(), state.next.take())
            }
            withExtendedLifetime((queue, next)) { if let work, wasStarted { attend(work) } }
        }

        /// Prepares a body that isn't in memory; one that can't be read ends the task.
        private func readStream(_ work: Work) {
            var request = work.request
            do {
                try request.prepareBodyStream { self.work != nil }
                if request != work.request { work.hop.replaceRequest(request) }
                guard let body = request.streamedBody else { return send(request, work) }
                let pipe = try BodyPipe(body, run: work.loop.run) { [weak self] in self?.attendAgain() }
                send(request, work, pipe)
            } catch {
                end(.failure(error))
            }
        }

        /// Sends a request through the loop; errors come on the completions' queue, like any others.
        private func send(_ request: URLRequest, _ work: Work, _ body: BodyPipe? = nil) {
            do {
                let next = try CurlRequest(request, body)
                outbox.update { state, _ in if state.work != nil { state.next = next } }
                attend(work)
            } catch {
                fail(error, work)
            }
        }

        func attend(_ work: Work) {
            if !work.loop.attend(to: self) { fail(URLError(.unsupportedURL), work) }
        }

        private func fail(_ error: any Error, _ work: Work) {
            work.loop.completions.async { self.end(.failure(error)) }
        }

        /// - Parameter isOnLoop: whether this is the loop's thread, on which no receiver of parts is called.
        private func end(_ ending: Ending, isOnLoop: Bool = false) {
            let rest = outbox.change(isOwnCall: isOnLoop) { state, queue in
                queue.end(with: ending)
                return (state.work.take(), state.next.take())
            }
            // Releases the loop outside the lock: that may end its thread.
            withExtendedLifetime(rest) {}
        }

        var work: Work? { outbox.withState { state in state.work } }
        private var report: CurlReport? { outbox.withState { state in state.report } }
        var transferMetrics: TransferMetrics? { report?.metrics }
        var trailers: Headers { report?.trailers ?? [:] }

        /// How far the transfer is. The loop counts only for tasks whose progress was read before.
        var transferProgress: TransferProgress {
            let (progress, work) = outbox.update { state, _ -> (TransferProgress, Work?) in
                if let progress = state.report?.progress ?? state.progress { return (progress, nil) }
                state.progress = TransferProgress()
                return (TransferProgress(), state.wasStarted ? state.work : nil)
            }
            if let work { attend(work) }
            return progress
        }
    }

    // MARK: - The loop's side

    extension CurlDataTask {
        /// Makes the loop look at the task once more.
        func attendAgain() {
            if let work { attend(work) }
        }

        func order() -> (Order, Wishes) {
            let (order, wishes, hop) = outbox.update { state, queue -> (Order, Wishes, Hop?) in
                guard let work = state.work else {
                    return (state.isRejected ? .drain : .abort, Wishes(), nil)
                }
                let wishes = Wishes(
                    parts: queue.isStreamed, progress: state.progress != nil, head: work.hop.wantsHeads)
                guard state.isRunning else { return (.pause, wishes, nil) }
                if let next = state.next.take() { return (.start(next), wishes, nil) }
                return (.proceed(isFull: queue.isFull), wishes, queue.isStreamed ? work.hop : nil)
            }
            if let hop, hop.isHeld { return (.proceed(isFull: true), wishes) }
            return (order, wishes)
        }

        /// Takes the loop's counts.
        func note(_ progress: TransferProgress) {
            outbox.update { state, _ in state.progress = progress }
        }

        /// Takes the lines of a head whose body is still to come: of a redirect, or where the hop wants heads. The hop
        /// gets the head off the loop's thread.
        func receiveHead(_ lines: [UInt8]) {
            guard let work else { return }
            work.loop.completions.async {
                guard let response = self.response(lines, work), work.hop.receiveHead(response)
                else { return }
                self.reject()
            }
        }

        /// Ends a transfer that has no report.
        func fail(_ failure: CurlFailure, head: [UInt8]? = nil) {
            complete(.failure(failure, head: head), nil)
        }

        /// Ends the task with a transfer's outcome: off the loop's thread, or on it if that runs no app code and takes
        /// no longer than waking another thread, which saves about a tenth of the CPU time of a GET of 2 KB.
        func complete(_ outcome: CurlOutcome, _ report: CurlReport?) {
            switch outcome {
            case .failure(let failure, let lines):
                let (work, streamed) = outbox.update { state, _ in
                    state.report = report
                    return (state.work, state.response)
                }
                guard let work else { return }
                if streamed != nil {
                    return end(Ending(nil, streamed, failure.error(url: url)), isOnLoop: true)
                }
                work.loop.completions.async { [url] in
                    let response = lines.flatMap { self.response($0, work) }
                    self.end(Ending(nil, response, failure.error(url: url)))
                }
            case .response(let lines, let body):
                let head = CurlResponseHead.head(lines, from: url)
                let ending =
                    head.map { Ending(body, $0) }
                    ?? .failure(CurlFailure.refused(.badServerResponse).error(url: url))
                let (work, call) = outbox.change(isOwnCall: true) { state, queue in
                    state.report = report
                    // It follows the parts, if there are any.
                    queue.end(with: state.response.map { Ending(body, $0, nil) } ?? ending)
                    return (state.work.take(), queue.firstCall(isOwnCall: true))
                }
                guard let work, case .end(let end)? = call, !work.hop.receiveAtOnce(end.ending) else {
                    return
                }
                outbox.update { _, queue in queue.putBack(end) }
                work.loop.completions.async {
                    withExtendedLifetime(work) { self.outbox.change { _, _ in } }
                }
            }
        }

        /// Makes a response of the lines of its head.
        func response(_ lines: [UInt8], _ work: Work) -> HTTPURLResponse? {
            CurlResponseHead.head(lines, from: work.request.url)?.response
        }
    }
#endif
