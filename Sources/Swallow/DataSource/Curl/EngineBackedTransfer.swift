#if os(Linux) && canImport(Glibc)
    package import CurlEngine
    import Foundation
    import FoundationNetworking

    /// A transfer through libcurl. The event loop receives all calls in order, so this object needn't know whether the
    /// transfer is paused.
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
                    fail(with: error)
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
            } catch let failure as EngineFailure {
                fail(with: failure)
            } catch {
                complete(.failure(error, nil))
            }
        }

        private func fail(with failure: EngineFailure) {
            let error = failure.error(url: request.url)
            // If the system can't create a thread for the loop, no other thread may be able to fail the exchange.
            if case .noThread = failure {
                receiver?.owner.failExchange(with: error)
            } else {
                complete(.failure(error, nil))
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

        var wantsParts: Bool { receiver?.wantsParts ?? false }

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

    extension CurlRequest {
        init(_ request: URLRequest, _ source: BodyPipe? = nil) throws(EngineFailure) {
            try self.init(
                url: request.url?.absoluteString ?? "", method: request.httpMethod ?? "GET",
                fields: request.allHTTPHeaderFields ?? [:], body: request.httpBody, source: source,
                idleTimeout: request.timeoutInterval, handlesCookies: request.httpShouldHandleCookies)
        }
    }

    extension BodyPipe: EngineBodySource {
        package var isTunnel: Bool { body.isTunnel }

        package func startedOver() -> (any EngineBodySource)? { restarted() }
    }

    extension EngineHead {
        func response(from url: URL) -> HTTPURLResponse {
            let (version, fields) = content
            // Foundation accepts every status and every field.
            return HTTPURLResponse(url: url, statusCode: status, httpVersion: version, headerFields: fields)!
        }
    }

    extension EngineFailure {
        func error(url: URL?) -> any Error {
            switch self {
            case .transport(let code, let text):
                var information: [String: Any] = [:]
                if let text { information[NSLocalizedDescriptionKey] = text }
                if let url { information[NSURLErrorFailingURLErrorKey] = url }
                return URLError(code, userInfo: information)
            case .invalidRequest(let detail): return ServiceError(.invalidRequest, detail: detail)
            case .noThread(let error):
                return ServiceError(
                    .transport(URLError(.resourceUnavailable)),
                    detail: "the system can't create a thread for the data source", underlying: error)
            case .other(let error): return error
            }
        }
    }

    extension TransferProgress {
        init(_ progress: EngineProgress) {
            self.init(
                sent: progress.sent, received: progress.received, expectedToSend: progress.expectedToSend,
                expectedToReceive: progress.expectedToReceive)
        }
    }

    extension TransferMetrics {
        init(_ report: EngineReport) {
            self.init(start: Date(timeIntervalSinceNow: -Double(report.age) / 1e9))
            func moment(_ microseconds: Int64) -> Duration? {
                microseconds > 0 ? .nanoseconds(report.waited) + .microseconds(microseconds) : nil
            }
            let times = report.times
            if !report.isReused, !report.address.isEmpty {
                domainLookupEnd = moment(times.nameLookup)
                connectEnd = moment(times.connection)
                secureConnectionEnd = moment(times.tls)
            }
            requestEnd = moment(times.request)
            responseStart = moment(times.firstByte)
            responseEnd = moment(times.lastByte)
            attempts = max(1, report.sendings)
            bytesSent = report.progress.sent
            bytesReceived = report.progress.received
            protocolName = report.protocolName
            if !report.address.isEmpty {
                let host = report.address.contains(":") ? "[\(report.address)]" : report.address
                remoteAddress = "\(host):\(report.port)"
                isConnectionReused = report.isReused
            }
        }
    }

    extension Headers {
        init(_ fields: [(name: String, value: String)]) {
            self.init()
            for (name, value) in fields { append(value, for: Name(name)) }
        }
    }
#endif
