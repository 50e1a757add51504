#if os(Linux) && canImport(Glibc)
    import Foundation
    import FoundationNetworking

    /// One attempt through the event loop.
    final class CurlDataTask: DataTask {
        private struct State: Sendable {
            /// Nil once it is over: whoever holds a task that has ended doesn't hold the thread.
            var work: Work?
            var isRunning = false
            var wasStarted = false
            /// Whether it is over since the response was rejected.
            var isRejected = false
            /// What the loop has not taken yet.
            var next: CurlRequest?
        }

        private struct Work: Sendable {
            let request: URLRequest
            let attempt: RelayAttempt
            let loop: CurlLoop
        }

        /// What the loop is to do; it asks after each change.
        enum Order {
            case start(CurlRequest)
            case proceed, pause, abort
            /// Let the rest of a short body come, so that the connection is kept.
            case drain
        }

        private let state: Lock<State>

        init(_ request: URLRequest, _ loop: CurlLoop, _ attempt: RelayAttempt) {
            state = Lock(State(work: Work(request: request, attempt: attempt, loop: loop)))
        }

        func resume() {
            let (work, isFirst, isLater) = state.withLock { state in
                let (wasStarted, wasRunning) = (state.wasStarted, state.isRunning)
                state.wasStarted = true
                state.isRunning = true
                return (state.work, !wasStarted, wasStarted && !wasRunning)
            }
            guard let work else { return }
            if isLater { attend(work) }
            guard isFirst else { return }
            if work.request.httpBody == nil, work.request.httpBodyStream != nil {
                // Reading may take its time.
                work.loop.completions.async { self.readStream(work) }
            } else {
                send(work.request, work)
            }
        }

        func suspend() {
            let work = state.withLock { state in
                defer { state.isRunning = false }
                return state.isRunning ? state.work : nil
            }
            if let work { attend(work) }
        }

        func cancel() {
            let (work, wasStarted) = state.withLock { state in
                state.next = nil
                return (state.work.take(), state.wasStarted)
            }
            if let work, wasStarted { attend(work) }
        }

        private func readStream(_ work: Work) {
            var request = work.request
            do {
                try request.readBodyStream { self.state.withLock { $0.work != nil } }
                work.attempt.replaceRequest(request)
                send(request, work)
            } catch {
                end(.failure(error))
            }
        }

        /// Has the loop send a request; errors come on the completions' queue, like any others.
        private func send(_ request: URLRequest, _ work: Work) {
            do {
                let next = try CurlRequest(request)
                state.withLock { if $0.work != nil { $0.next = next } }
                attend(work)
            } catch {
                work.loop.completions.async { self.end(.failure(error)) }
            }
        }

        private func attend(_ work: Work) {
            if !work.loop.attend(to: self) {
                work.loop.completions.async { self.end(.failure(URLError(.unsupportedURL))) }
            }
        }

        private func end(_ ending: Ending) {
            let work = state.withLock { state in
                state.next = nil
                return state.work.take()
            }
            // The loop is let go of last, outside the lock: that may end the thread.
            withExtendedLifetime(work) { work?.attempt.receive(ending) }
        }
    }

    // MARK: - The loop's side

    extension CurlDataTask {
        func order() -> Order {
            state.withLock { state in
                if state.work == nil { return state.isRejected ? .drain : .abort }
                guard state.isRunning else { return .pause }
                guard let next = state.next.take() else { return .proceed }
                return .start(next)
            }
        }

        /// Takes the lines of the head of a redirect, whose body is still to come, off the loop's thread.
        func receiveHead(_ lines: [UInt8]) {
            guard let work = state.withLock({ $0.work }) else { return }
            work.loop.completions.async {
                guard let response = self.response(lines, work), work.attempt.receiveHead(response)
                else { return }
                let wasUnderWay = self.state.withLock { state in
                    state.isRejected = true
                    return state.work.take() != nil
                }
                if wasUnderWay { self.attend(work) }
            }
        }

        /// Takes what became of a transfer, off the loop's thread.
        func complete(_ outcome: CurlOutcome) {
            guard let work = state.withLock({ $0.work }) else { return }
            work.loop.completions.async {
                switch outcome {
                case .failure(let failure): self.end(.failure(failure.error(url: work.request.url)))
                case .response(let lines, let body):
                    guard let response = self.response(lines, work) else {
                        return self.end(.failure(CurlRequest.error(.badServerResponse, work.request.url)))
                    }
                    self.end(Ending(body, response, nil))
                }
            }
        }

        /// Makes a response of the lines of its head.
        private func response(_ lines: [UInt8], _ work: Work) -> HTTPURLResponse? {
            let head = CurlResponseHead(lines)
            return work.request.url.flatMap { head.response(from: $0) }
        }
    }
#endif
