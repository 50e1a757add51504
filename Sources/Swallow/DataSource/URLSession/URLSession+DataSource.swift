import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Any session that an app already has, with its own configuration, delegate and rules.
///
/// On Linux, where a session's own `cancel()` and `suspend()` can abort the process, a suspended task goes on and
/// holds its answer back, and a cancelled one ends at once; a session with a URL cache (`URLSession.shared` has
/// one) then goes on with it until the response begins.
extension URLSession: SessionDataTaskDataSource {
    /// Returns a task of this session that has not started.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        #if canImport(FoundationNetworking)
            return GuardedDataTask(session: self, request: request, completion: completion)
        #else
            return dataTask(with: request, completionHandler: completion)
        #endif
    }
}

#if canImport(FoundationNetworking)
    /// Keeps a session's task from aborting the process.
    private final class GuardedDataTask: DataTask {
        private let session: URLSession
        private let task: URLSessionDataTask
        private let answer: Answer
        private let isStarted = Lock(false)

        init(session: URLSession, request: URLRequest, completion: @escaping Answer.Completion) {
            let answer = Answer(completion)
            self.session = session
            self.answer = answer
            task = session.dataTask(with: request) { answer.give($0, $1, $2) }
        }

        func resume() {
            answer.resume()
            let starts = isStarted.withLock { isStarted in
                defer { isStarted = true }
                return !isStarted
            }
            if starts, answer.isDue { task.resume() }
        }

        // The session's suspend() calls fatalError where it meets the end of its task.
        func suspend() { answer.suspend() }

        func cancel() {
            answer.end(with: URLError(.cancelled))
            // Where a cancel meets the end of its task, the task registry calls fatalError. Tasks end on the
            // delegate queue, so without a cache it is safe there; with one, only once the response has begun.
            let (session, task) = (session, task)
            session.delegateQueue.addOperation {
                if session.configuration.urlCache == nil || task.response != nil { task.cancel() }
            }
        }
    }
#endif
