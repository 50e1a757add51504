#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
    import Foundation
    import FoundationNetworking

    /// A transfer through libcurl. The event loop receives all calls in order, so this object stores no pause.
    final class EngineBackedTransfer: Transfer {
        private struct State: Sendable {
            /// `nil` after the last event, so that the owner and the transfer don't keep each other alive.
            var receiver: TransferReceiver?
            /// Only set after the progress was read once, because the loop counts bytes only then.
            var progress: TransferProgress?
            var report: EngineReport?
        }

        private let request: URLRequest
        private let engine: EngineTransfer
        private let state: Lock<State>

        init(_ request: URLRequest, _ loop: EngineLoop, _ receiver: TransferReceiver) {
            self.request = request
            engine = EngineTransfer(on: loop)
            state = Lock(State(receiver: receiver))
        }

        private var receiver: TransferReceiver? { state.withLock { $0.receiver } }
    }

    extension EngineBackedTransfer {
        func start(inParts: Bool) {
            if request.httpBody == nil, request.httpBodyStream != nil {
                WorkerPool.shared.async { self.openStream(inParts: inParts) }
            } else {
                do {
                    try engine.start(CurlRequest(request), inParts: inParts, for: self)
                } catch {
                    complete(.failure(error.error(url: request.url), nil))
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
                        self?.engine.continueBody()
                    }
                }
                try engine.start(CurlRequest(request, pipe), inParts: inParts, for: self)
            } catch {
                complete(.failure((error as? EngineFailure)?.error(url: request.url) ?? error, nil))
            }
        }

        func deliverParts() { engine.deliverParts() }
        func setPaused(_ isPaused: Bool) { if isPaused { engine.pause() } else { engine.resume() } }

        func answer(_ answer: HeadAnswer) {
            if answer == .drain { releaseReceiver() }
            engine.answer(answer)
        }

        func cancel() {
            releaseReceiver()
            engine.cancel()
        }

        func fail(with error: any Error) {
            if !engine.fail(with: .other(error), for: self) { complete(.failure(error, nil)) }
        }

        private func complete(_ result: TransferResult, _ report: EngineReport? = nil) {
            let receiver = state.withLock { state in
                state.report = report ?? state.report
                return state.receiver.take()
            }
            receiver?.receiveCompletion(result)
        }

        private func releaseReceiver() {
            let receiver = state.withLock { $0.receiver.take() }
            withExtendedLifetime(receiver) {}
        }

        var facts: TransferFacts {
            let (report, progress) = state.withLock { state in
                defer { if state.progress == nil { state.progress = TransferProgress() } }
                return (state.report, state.progress)
            }
            if let report {
                return TransferFacts(
                    progress: TransferProgress(report.progress), metrics: TransferMetrics(report),
                    trailers: Headers(report.trailers))
            }
            if progress == nil { engine.countProgress() }
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

        func note(_ progress: EngineProgress) {
            state.withLock { $0.progress = TransferProgress(progress) }
        }

        func receiveCompletion(_ result: EngineResult, _ report: EngineReport?) {
            switch result {
            case .response(_, let body): complete(.success(body), report)
            case .failure(let failure, let head):
                complete(
                    .failure(failure.error(url: request.url), head.flatMap(responseHead)), report)
            }
        }

        private func responseHead(_ head: EngineHead) -> ResponseHead? {
            request.url.map { url in
                ResponseHead(statusCode: head.status) { head.response(from: url) }
            }
        }
    }
#endif
