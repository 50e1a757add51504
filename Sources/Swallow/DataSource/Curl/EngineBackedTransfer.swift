#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
    import Foundation
    import FoundationNetworking

    /// A transfer through libcurl. The event loop receives all calls in order, so this object stores no pause.
    final class EngineBackedTransfer: Transfer {
        private struct State: Sendable {
            /// `nil` after the last event, so that the owner and the transfer don't keep each other alive.
            var receiver: TransferReceiver?
            var engine: EngineTransfer?
            var hasBegun = false
            var failure: (any Error)?
            /// Only set after the progress was read once, because the loop counts bytes only then.
            var progress: TransferProgress?
            var report: EngineReport?
        }

        private let request: URLRequest
        private let state: Lock<State>

        init(_ request: URLRequest, _ loop: EngineLoop, _ receiver: TransferReceiver) {
            self.request = request
            state = Lock(State(receiver: receiver, engine: EngineTransfer(on: loop)))
        }

        private var engine: EngineTransfer? { state.withLock { $0.engine } }
        private var receiver: TransferReceiver? { state.withLock { $0.receiver } }
    }

    extension EngineBackedTransfer {
        func start(inParts: Bool) {
            if request.httpBody == nil, request.httpBodyStream != nil {
                WorkerPool.shared.async { self.openStream(inParts: inParts) }
            } else {
                do {
                    try begin(CurlRequest(request), inParts: inParts)
                } catch {
                    WorkerPool.shared.async { self.fail(with: error.error(url: self.request.url)) }
                }
            }
        }

        private func openStream(inParts: Bool) {
            var request = request
            do {
                try request.prepareBodyStream { receiver != nil }
                if request != self.request { receiver?.replaceRequest(request) }
                let pipe = try request.streamedBody.map { body throws(ServiceError) in
                    try BodyPipe(body, run: WorkerPool.shared.async) { [weak self] in
                        self?.engine?.continueBody()
                    }
                }
                try begin(CurlRequest(request, pipe), inParts: inParts)
            } catch {
                fail(with: (error as? EngineFailure)?.error(url: request.url) ?? error)
            }
        }

        private func begin(_ request: CurlRequest, inParts: Bool) throws(EngineFailure) {
            // Under the lock, so that `fail` knows whether the engine reports the failure.
            let hasLoop = state.withLock { state in
                guard let engine = state.engine else { return true }
                state.hasBegun = engine.start(request, inParts: inParts, for: self)
                return state.hasBegun
            }
            if !hasLoop { throw .transport(.unsupportedURL) }
        }

        func deliverParts() { engine?.deliverParts() }
        func setPaused(_ isPaused: Bool) { if isPaused { engine?.pause() } else { engine?.resume() } }

        func answer(_ answer: HeadAnswer) {
            if answer == .drain { releaseReceiver() }
            engine?.answer(answer)
        }

        func cancel() {
            let (engine, receiver) = state.withLock { ($0.engine.take(), $0.receiver.take()) }
            withExtendedLifetime(receiver) { engine?.cancel() }
        }

        func fail(with error: any Error) {
            let (engine, hasBegun) = state.withLock { state in
                state.failure = state.failure ?? error
                return (state.engine, state.hasBegun)
            }
            if hasBegun { engine?.fail(with: .transport(.cancelled)) } else { complete(.failure(error, nil)) }
        }

        private func complete(_ result: TransferResult, _ report: EngineReport? = nil) {
            let (receiver, engine) = state.withLock { state in
                state.report = report ?? state.report
                return (state.receiver.take(), state.engine.take())
            }
            withExtendedLifetime(engine) { receiver?.receiveCompletion(result) }
        }

        private func releaseReceiver() {
            let receiver = state.withLock { $0.receiver.take() }
            withExtendedLifetime(receiver) {}
        }

        var facts: TransferFacts {
            let (report, progress, engine) = state.withLock { state in
                defer { if state.progress == nil { state.progress = TransferProgress() } }
                return (state.report, state.progress, state.engine)
            }
            if let report {
                return TransferFacts(
                    progress: TransferProgress(report.progress), metrics: TransferMetrics(report),
                    trailers: Headers(report.trailers))
            }
            if progress == nil { engine?.countProgress() }
            return TransferFacts(progress: progress ?? TransferProgress())
        }
    }

    extension EngineBackedTransfer: EngineTransferOwner {
        func receiveHead(_ head: EngineHead) -> HeadAnswer {
            guard let receiver, let head = responseHead(head) else { return .drain }
            let answer = receiver.receiveHead(head)
            if answer == .drain { releaseReceiver() }
            return answer
        }

        func receiveBodyPart(_ bodyPart: Data) -> Flow { receiver?.receiveBodyPart(bodyPart) ?? .more }

        var wantsParts: Bool { receiver?.wantsParts ?? false }

        func note(_ progress: EngineProgress) {
            state.withLock { $0.progress = TransferProgress(progress) }
        }

        func receiveCompletion(_ result: EngineResult, _ report: EngineReport?) {
            switch result {
            case .response(_, let body): complete(.success(body), report)
            case .failure(let failure, let head):
                let error = state.withLock { $0.failure } ?? failure.error(url: request.url)
                complete(.failure(error, head.flatMap(responseHead)), report)
            }
        }

        private func responseHead(_ head: EngineHead) -> ResponseHead? {
            request.url.map { url in
                ResponseHead(statusCode: head.status) { head.response(from: url) }
            }
        }
    }
#endif
