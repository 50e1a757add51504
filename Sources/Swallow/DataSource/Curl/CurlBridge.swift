#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
    import Foundation
    import FoundationNetworking

    /// A transfer through libcurl. It releases the engine and the owner when it completes.
    final class CurlBridge: Transfer {
        private struct State: Sendable {
            var receiver: TransferReceiver?
            /// `nil` after the completion, so that the transfer doesn't keep the loop alive.
            var loop: EngineLoop?
            var engine: EngineTransfer?
            var hasBegun = false
            var wantsParts = false
            var isPaused = false
            /// The number of the latest call of `setPaused`.
            var latestChange = 0
            var failure: (any Error)?
            var progress: TransferProgress?
            var report: EngineReport?
        }

        private let request: URLRequest
        private let state: Lock<State>

        init(_ request: URLRequest, _ loop: EngineLoop, _ receiver: TransferReceiver) {
            self.request = request
            var state = State(receiver: receiver, loop: loop)
            if !request.readsStream {
                do { state.engine = try EngineTransfer(CurlRequest(request), on: loop) } catch {
                    state.failure = error.error(url: request.url)
                }
            }
            self.state = Lock(state)
        }
    }

    // MARK: - Calls of the owner

    extension CurlBridge {
        func start(_ delivery: BodyDelivery) {
            let (loop, failure) = state.withLock { state in
                if delivery == .parts { state.wantsParts = true }
                return (state.loop, state.failure)
            }
            guard let loop else { return }
            if let failure {
                WorkerPool.shared.async { self.complete(.failure(failure, nil)) }
            } else if request.readsStream {
                // Reading the stream may block.
                WorkerPool.shared.async { self.openStream(loop) }
            } else {
                begin()
            }
        }

        func deliverParts() {
            state.withLock { state in
                state.wantsParts = true
                // A drained transfer has no receiver.
                if state.hasBegun, state.receiver != nil { state.engine?.deliverParts() }
            }
        }

        func setPaused(_ isPaused: Bool, change: Int) {
            state.withLock { state in
                guard change > state.latestChange, state.receiver != nil else { return }
                (state.latestChange, state.isPaused) = (change, isPaused)
                guard state.hasBegun, let engine = state.engine else { return }
                // Sending the commands under the lock keeps the order of the changes.
                if isPaused { engine.pause() } else { engine.resume() }
            }
        }

        func answer(_ answer: HeadAnswer) {
            let engine = state.withLock { state in
                if answer == .drain { state.receiver = nil }
                return state.engine
            }
            engine?.answer(answer)
        }

        func cancel() {
            // Releases the receiver and the loop outside the lock.
            let (engine, hasBegun, rest) = state.withLock { state in
                (state.engine.take(), state.hasBegun, (state.receiver.take(), state.loop.take()))
            }
            withExtendedLifetime(rest) { if hasBegun { engine?.cancel() } }
        }

        func fail(with error: any Error) {
            let (engine, hasBegun) = state.withLock { state in
                state.failure = state.failure ?? error
                // Otherwise another thread could start the engine's transfer.
                return (state.hasBegun ? state.engine : state.engine.take(), state.hasBegun)
            }
            if let engine, hasBegun {
                engine.fail(with: .transport(.cancelled))
            } else {
                complete(.failure(error, nil))
            }
        }

        /// The loop counts bytes only for transfers whose progress was read before.
        var facts: TransferFacts {
            let (report, progress, engine) = state.withLock { state in
                defer { if state.progress == nil { state.progress = TransferProgress() } }
                return (state.report, state.progress, state.hasBegun ? state.engine : nil)
            }
            if let report {
                return TransferFacts(
                    progress: TransferProgress(report.progress), metrics: TransferMetrics(report),
                    trailers: Headers(report.trailers))
            }
            if progress == nil { engine?.countProgress() }
            return TransferFacts(progress: progress ?? TransferProgress())
        }

        private func openStream(_ loop: EngineLoop) {
            var request = request
            do {
                try request.prepareBodyStream { self.state.withLock { $0.receiver != nil } }
                if request != self.request { state.withLock { $0.receiver }?.replaceRequest(request) }
                let pipe = try request.streamedBody.map { body throws(ServiceError) in
                    try BodyPipe(body, run: WorkerPool.shared.async) { [weak self] in
                        self?.state.withLock { $0.engine }?.continueBody()
                    }
                }
                let engine = try EngineTransfer(CurlRequest(request, pipe), on: loop)
                state.withLock { if $0.receiver != nil { $0.engine = engine } }
                begin()
            } catch {
                complete(.failure((error as? EngineFailure)?.error(url: request.url) ?? error, nil))
            }
        }

        private func begin() {
            // Under the lock, so that no other command arrives before the start.
            let hasLoop = state.withLock { state in
                guard let engine = state.engine else { return true }
                state.hasBegun = true
                if state.progress != nil { engine.countProgress() }
                if state.isPaused { engine.pause() }
                return engine.start(state.wantsParts ? .parts : .collected, for: self)
            }
            if hasLoop { return }
            WorkerPool.shared.async { self.complete(.failure(URLError(.unsupportedURL), nil)) }
        }

        private func complete(_ result: TransferResult, _ report: EngineReport? = nil) {
            // Releases the engine's transfer and the loop outside the lock.
            let (receiver, rest) = state.withLock { state in
                state.report = report ?? state.report
                return (state.receiver.take(), (state.engine.take(), state.loop.take()))
            }
            withExtendedLifetime(rest) { receiver?.complete(result) }
        }
    }

    // MARK: - Events, on the loop's thread

    extension CurlBridge: EngineTransferOwner {
        func receiveHead(_ head: EngineHead) -> HeadAnswer {
            guard let receiver = state.withLock({ $0.receiver }), let url = request.url else { return .drain }
            let answer = receiver.receiveHead(
                ResponseHead(statusCode: head.status) { head.response(from: url) })
            // A drained transfer delivers nothing, so it releases its owner.
            if answer == .drain { state.withLock { $0.receiver = nil } }
            return answer
        }

        func receiveBodyPart(_ bodyPart: Data) -> Flow {
            guard let receiver = state.withLock({ $0.receiver }) else { return .more }
            return receiver.receiveBodyPart(bodyPart)
        }

        func note(_ progress: EngineProgress) {
            state.withLock { $0.progress = TransferProgress(progress) }
        }

        func complete(_ result: EngineResult, _ report: EngineReport?) {
            switch result {
            case .response(_, let body): complete(.success(body), report)
            case .failure(let failure, let head):
                let error = state.withLock { $0.failure } ?? failure.error(url: request.url)
                let responseHead = request.url.flatMap { url in
                    head.map { head in
                        ResponseHead(statusCode: head.status) { head.response(from: url) }
                    }
                }
                complete(.failure(error, responseHead), report)
            }
        }
    }

    extension URLRequest {
        fileprivate var readsStream: Bool { httpBody == nil && httpBodyStream != nil }
    }
#endif
