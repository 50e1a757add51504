import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Any session that an app already has, with its own configuration, delegate and rules.
///
/// A session follows redirects itself, so a request with the option `.redirects` fails with `.invalidRequest` and isn't
/// sent.
///
/// On Linux, a session's own `cancel()` and `suspend()` can abort the process. A suspended task therefore continues and
/// keeps its completion back, and a cancelled task completes at once. A session with a URL cache (`URLSession.shared` has
/// one) then continues the request until the response begins.
extension URLSession: SessionDataTaskDataSource {
    /// Returns a task of this session that has not started.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        if SenderTerms.current.redirects != nil {
            return ManagedDataTask(completion) {
                CompletionOperation(.failure(RedirectOverride.refusal), $0)
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
    /// A session's task, called only in ways that don't abort the process.
    ///
    /// It isn't suspended, because Foundation's `suspend()` calls `fatalError` if it meets the end of the task on Linux.
    private struct SessionOperation: DataTaskOperation {
        private let session: URLSession
        private let task: URLSessionDataTask

        init(_ request: URLRequest, _ session: URLSession, _ output: DataTaskOutput) {
            self.session = session
            task = session.dataTask(with: request) { data, response, error in
                output.receive(Ending(data, response, error))
            }
        }

        func start(inParts: Bool) { task.resume() }

        func cancel() {
            // If a cancel meets the end of its task, Foundation's registry of tasks calls `fatalError`. Tasks end on the
            // delegate queue. There, a cancel is safe without a cache, and with a cache once the response has begun.
            session.delegateQueue.addOperation {
                if session.configuration.urlCache == nil || task.response != nil { task.cancel() }
            }
        }
    }
#endif
