import Foundation

/// A session that the app already has, with its own configuration, delegate and rules. A session follows redirects
/// itself. A request with the option `.redirects` fails with `.invalidRequest`.
///
/// On Linux, `cancel()` and `suspend()` of a `URLSessionTask` can crash the process, so Swallow usually avoids these
/// calls. A suspended ``DataTask`` only delays its completion. A cancelled one completes immediately, but if the session
/// has a URL cache, as `URLSession.shared` has, and the response hasn't begun, the request continues.
extension URLSession: SessionDataTaskDataSource {
    /// Returns a task that has not started.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        if TransferContext.current.redirects != nil {
            return ManagedDataTask(completion) {
                CompletionOperation(.failure(RedirectOverride.ignoredError), $0)
            }
        }
        #if canImport(FoundationNetworking)
            return ManagedDataTask(completion) { SessionOperation(request.forSession, self, $0) }
        #else
            return dataTask(with: request, completionHandler: completion)
        #endif
    }
}

#if canImport(FoundationNetworking)
    /// A task of an app's session. It isn't suspended, because `suspend()` can crash if the task completes during it.
    private struct SessionOperation: DataTaskOperation {
        private let session: URLSession
        private let task: URLSessionDataTask

        init(_ request: URLRequest, _ session: URLSession, _ output: DataTaskOutput) {
            self.session = session
            task = session.dataTask(with: request) { data, response, error in
                output.receive(DataTaskResult(data, response, error))
            }
        }

        func start(inParts: Bool) { task.resume() }

        func cancel() {
            // Foundation calls `fatalError` if a cancel coincides with the task's completion. On the delegate queue,
            // where tasks complete, a cancel is safe without a cache, or after the response has begun.
            session.delegateQueue.addOperation {
                if session.configuration.urlCache == nil || task.response != nil { task.cancel() }
            }
        }
    }
#endif
