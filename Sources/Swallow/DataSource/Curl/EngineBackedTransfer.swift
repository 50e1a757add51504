#if os(Linux) && canImport(Glibc)
    package import CurlEngine
    import Foundation
    import FoundationNetworking

    /// A transfer through libcurl. It needs no state, because the event loop has it.
    final class EngineBackedTransfer: Transfer {
        private let request: URLRequest
        private let engine: EngineTransfer

        init(_ request: URLRequest, _ loop: EngineLoop) {
            self.request = request
            engine = EngineTransfer(on: loop)
        }
    }

    extension EngineBackedTransfer {
        func start(inParts: Bool, for receiver: TransferReceiver) {
            if request.httpBody == nil, request.httpBodyStream != nil {
                WorkerPool.shared.async { self.openStream(inParts: inParts, for: receiver) }
            } else {
                do throws(EngineFailure) {
                    try engine.start(
                        CurlRequest(request), inParts: inParts, for: EngineReceiver(request.url, receiver))
                } catch {
                    receiver.receiveFailure(error, url: request.url)
                }
            }
        }

        private func openStream(inParts: Bool, for receiver: TransferReceiver) {
            var request = request
            do {
                try request.prepareBodyStream { receiver.isSending }
                if request != self.request { receiver.replaceRequest(request) }
                let pipe = try request.streamedBody.map { body throws(ServiceError) in
                    try BodyPipe(body, run: WorkerPool.shared.async) { [weak self] in
                        self?.engine.continueBody()
                    }
                }
                try engine.start(
                    CurlRequest(request, pipe), inParts: inParts, for: EngineReceiver(request.url, receiver))
            } catch let failure as EngineFailure {
                receiver.receiveFailure(failure, url: request.url)
            } catch {
                receiver.receiveCompletion(.failure(error, nil))
            }
        }

        func deliverParts() { engine.deliverParts() }
        func setPause(_ pause: TransferPause) { engine.setPause(pause) }
        func answer(_ answer: HeadAnswer) { engine.answer(answer) }
        func cancel() { engine.cancel() }

        func fail(with error: any Error, for receiver: TransferReceiver) {
            if !engine.fail(with: .other(error), for: EngineReceiver(request.url, receiver)) {
                receiver.receiveCompletion(.failure(error, nil))
            }
        }

        var facts: TransferFacts {
            switch engine.facts {
            case .progress(let progress): TransferFacts(progress: TransferProgress(progress))
            case .report(let report):
                TransferFacts(
                    progress: TransferProgress(report.progress), metrics: TransferMetrics(report),
                    trailers: Headers(report.trailers))
            }
        }
    }

    extension TransferReceiver {
        fileprivate func receiveFailure(_ failure: EngineFailure, url: URL?) {
            let error = failure.error(url: url)
            // If the system can't create a thread for the loop, no other thread may be able to fail the exchange.
            if case .noThread = failure { return owner.failExchange(with: error) }
            receiveCompletion(.failure(error, nil))
        }
    }

    /// Passes the engine's events to a transfer's owner. Only the engine holds this object, until the last event.
    private final class EngineReceiver: EngineTransferOwner {
        private let url: URL?
        private let receiver: TransferReceiver

        init(_ url: URL?, _ receiver: TransferReceiver) {
            (self.url, self.receiver) = (url, receiver)
        }

        func receiveHead(_ head: EngineHead) -> HeadAnswer {
            responseHead(head).map(receiver.receiveHead) ?? .drain
        }

        func receiveBodyPart(_ bodyPart: Data) -> Flow { receiver.receiveBodyPart(bodyPart) }

        var wantsParts: Bool { receiver.wantsParts }

        func receiveCompletion(_ result: EngineResult) {
            switch result {
            case .success(let body): receiver.receiveCompletion(.success(body))
            case .failure(let failure, let head):
                receiver.receiveCompletion(
                    .failure(failure.error(url: url), head.flatMap(responseHead)))
            }
        }

        private func responseHead(_ head: EngineHead) -> ResponseHead? {
            url.map { url in
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
