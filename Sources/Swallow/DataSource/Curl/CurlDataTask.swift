#if os(Linux)
    import Foundation
    import FoundationNetworking

    /// One request through the event loop: a transfer for it, and one more for each redirect that is followed.
    final class CurlDataTask: DataTask {
        private let answer: Answer
        private let state: Lock<State>

        private struct State: Sendable {
            var request: URLRequest
            /// Nil once it is over: whoever holds a task that has ended doesn't hold the thread.
            var loop: CurlLoop?
            var isRunning = false
            var wasStarted = false
            var isOver: Bool { loop == nil }
            /// What the loop has not taken yet.
            var next: CurlRequest?
            var redirectCount = 0
            var deadline = CurlClock.never

            /// Lets go of what the exchange no longer needs; returns the loop, if it wasn't over.
            mutating func end() -> CurlLoop? {
                next = nil
                // The setter copies the request: 2 % of a small request's CPU time in the profile.
                if request.httpBody != nil { request.httpBody = nil }
                return loop.take()
            }
        }

        /// What the loop is to do; it asks after each change.
        enum Order {
            case none
            case start(CurlRequest, deadline: UInt64)
            case proceed, pause, abort
        }

        init(request: URLRequest, loop: CurlLoop, completion: @escaping Answer.Completion) {
            answer = Answer(completion)
            state = Lock(State(request: request, loop: loop))
        }

        func resume() {
            answer.resume()
            let (loop, isFirst, isLater, request) = state.withLock { state in
                let isFirst = !state.wasStarted
                let isLater = state.wasStarted && !state.isRunning
                state.wasStarted = true
                state.isRunning = true
                if isFirst, let limit = state.loop?.configuration.totalTimeout {
                    state.deadline = CurlClock.moment(CurlClock.now, after: CurlClock.nanoseconds(limit))
                }
                return (state.loop, isFirst, isLater, state.request)
            }
            guard let loop else { return }
            if isLater { attend(loop) }
            guard isFirst else { return }
            if request.httpBody == nil, request.httpBodyStream != nil {
                // Reading may take its time.
                loop.completions.async { self.readStream(of: request, loop) }
            } else {
                send(request, loop)
            }
        }

        func suspend() {
            answer.suspend()
            let loop = state.withLock { state in
                defer { state.isRunning = false }
                return state.isRunning ? state.loop : nil
            }
            if let loop { attend(loop) }
        }

        func cancel() {
            answer.end(with: URLError(.cancelled))
            let (loop, wasStarted) = state.withLock { ($0.end(), $0.wasStarted) }
            if let loop, wasStarted { attend(loop) }
        }

        private func readStream(of request: URLRequest, _ loop: CurlLoop) {
            var request = request
            do {
                try request.readBodyStream()
                let read = request
                state.withLock { $0.request = read }
                send(request, loop)
            } catch {
                finish(nil, nil, error)
            }
        }

        /// Has the loop send a request; errors come on the completions' queue, like any others.
        private func send(_ request: URLRequest, _ loop: CurlLoop) {
            do {
                let cookies = cookies(for: request, loop.configuration.cookieStorage)
                let next = try CurlRequest(request, cookies: cookies)
                state.withLock { if !$0.isOver { $0.next = next } }
                attend(loop)
            } catch {
                loop.completions.async { self.finish(nil, nil, error) }
            }
        }

        private func attend(_ loop: CurlLoop) {
            if !loop.attend(to: self) {
                loop.completions.async { self.finish(nil, nil, URLError(.unsupportedURL)) }
            }
        }

        private func finish(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
            // Let go of last, outside the lock: that may end the thread.
            let loop = state.withLock { $0.end() }
            answer.give(data, response, error)
            withExtendedLifetime(loop) {}
        }
    }

    // MARK: - The loop's side

    extension CurlDataTask {
        func order() -> Order {
            state.withLock { state in
                if state.isOver { return .abort }
                guard state.isRunning else { return .pause }
                guard let next = state.next else { return .proceed }
                state.next = nil
                return .start(next, deadline: state.deadline)
            }
        }

        /// Takes what became of a transfer, off the loop's thread.
        func complete(_ outcome: CurlOutcome) {
            guard let loop = state.withLock({ $0.loop }) else { return }
            loop.completions.async { self.end(with: outcome, loop) }
        }

        private func end(with outcome: CurlOutcome, _ loop: CurlLoop) {
            guard answer.isDue else { return finish(nil, nil, nil) }
            let (request, count) = state.withLock { ($0.request, $0.redirectCount) }
            switch outcome {
            case .failure(let failure): finish(nil, nil, failure.error(url: request.url))
            case .response(let lines, let data):
                let head = CurlResponseHead(lines)
                store(head.cookies, from: request, in: loop.configuration.cookieStorage)
                guard let url = request.url, let response = head.response(from: url) else {
                    return finish(nil, nil, CurlRequest.error(.badServerResponse, request.url))
                }
                do {
                    let policy = loop.configuration.redirectPolicy
                    guard let next = try policy.request(after: response, to: request, count: count) else {
                        return finish(data, response, nil)
                    }
                    follow(next, loop)
                } catch {
                    finish(nil, nil, error)
                }
            }
        }

        private func follow(_ request: URLRequest, _ loop: CurlLoop) {
            state.withLock { state in
                state.request = request
                state.redirectCount += 1
            }
            send(request, loop)
        }
    }

    // MARK: - Cookies

    extension CurlDataTask {
        private func cookies(for request: URLRequest, _ storage: HTTPCookieStorage?) -> String? {
            guard request.httpShouldHandleCookies, let storage, let url = request.url,
                let cookies = storage.cookies(for: url), !cookies.isEmpty
            else { return nil }
            return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
        }

        private func store(_ fields: [String], from request: URLRequest, in storage: HTTPCookieStorage?) {
            guard !fields.isEmpty, request.httpShouldHandleCookies, let url = request.url, let storage
            else { return }
            for field in fields {
                let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field], for: url)
                storage.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
            }
        }
    }
#endif
