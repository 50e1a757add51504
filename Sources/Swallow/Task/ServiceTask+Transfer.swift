import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The side of the data source.
extension ServiceTask {
    /// Encodes the request and hands it to the data source.
    func start() {
        let urlRequest: URLRequest
        do {
            urlRequest = try request.urlRequest()
        } catch {
            return settle { $0.fail(with: error, evenAfterResponse: false) }
        }
        if let timeout = request.timeout { startDeadline(timeout) }
        let receipt = Receipt(self)
        let dataTask = dataSource.dataTask(with: urlRequest) { data, response, error in
            receipt.task.receive(data, response, error)
        }
        if core.withLock({ $0.transfer.begin(dataTask) }) { sendSignals() } else { dataTask.cancel() }
    }

    private func startDeadline(_ timeout: Duration) {
        let deadline = Task.after(timeout) { [weak self] in self?.timeOut() }
        let isNeeded = core.withLock { core in
            core.deadline = deadline
            return !core.transfer.hasEnded
        }
        if !isNeeded { deadline.cancel() }
    }

    private func timeOut() {
        settle { $0.fail(with: ServiceError(.timedOut, request: request), evenAfterResponse: false) }
    }

    /// Makes a change that may end the transfer, and does what follows from it.
    func settle(_ change: (inout Core) -> Void) {
        let (starts, deadline, _) = core.withLock { core in
            // Returned, so that an object of the app's in it ends outside the lock.
            let replaced = core.chain.outcome
            change(&core)
            let deadline = core.transfer.hasEnded ? core.deadline.take() : nil
            return (core.chain.start(), deadline, replaced)
        }
        deadline?.cancel()
        sendSignals()
        if starts { advance(on: nil) }
    }

    func sendSignals() {
        var isSender = false
        while let (dataTask, signal) = core.withLock({ $0.transfer.nextSignal(isSender: isSender) }) {
            isSender = true
            switch signal {
            case .resume: dataTask.resume()
            case .suspend: dataTask.suspend()
            case .cancel: dataTask.cancel()
            case .release: break
            }
        }
    }
}

extension ServiceTask {
    /// What a data source holds of a task: while it may still answer, the task lives. A data source that lets go
    /// of it without an answer ends the task.
    private final class Receipt: Sendable {
        let task: ServiceTask

        init(_ task: ServiceTask) {
            self.task = task
        }

        deinit {
            task.receive(nil, nil, nil)
        }
    }

    /// Takes the data source's answer; only the first one counts.
    private func receive(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        if core.withLock({ $0.transfer.hasEnded }) { return }
        let outcome = outcome(data, response, error)
        settle { core in
            guard core.transfer.end(cancelling: false) else { return }
            switch outcome {
            case .success(let content): core.chain.succeed(with: content)
            case .failure(let failure): core.chain.fail(with: failure.error, body: failure.body)
            }
        }
    }

    private struct Failure: Error {
        let error: ServiceError
        var body: ContentAdapter?
    }

    private func outcome(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<ContentAdapter, Failure> {
        let httpResponse = response as? HTTPURLResponse
        if let error {
            return .failure(
                Failure(error: ServiceError(transport: error, request: request, response: httpResponse)))
        }
        guard let httpResponse else {
            let detail = "the data source gave \(response == nil ? "no" : "not an HTTP") response"
            return .failure(Failure(error: ServiceError(.invalidResponse, detail: detail, request: request)))
        }
        let content = ContentAdapter(
            response: httpResponse, data: data ?? Data(), transformers: transformers)
        if request.acceptableStatusCodes.contains(httpResponse.statusCode) { return .success(content) }
        let failure = ServiceError(.unacceptableStatus, request: request, response: httpResponse)
        return .failure(Failure(error: failure, body: content))
    }
}
