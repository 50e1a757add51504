import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Any session that an app already has, with its own configuration, delegate and rules.
///
/// On Linux, a task of a session with a URL cache (`URLSession.shared` has one) ends at once when it is cancelled,
/// but the session goes on with it until the response begins: cancelling before can abort the process.
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
    /// Keeps a session's task from aborting the process when it is cancelled.
    private final class GuardedDataTask: DataTask {
        private let session: URLSession
        private let task: URLSessionDataTask
        private let answer: OneAnswer

        init(
            session: URLSession, request: URLRequest,
            completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
        ) {
            let answer = OneAnswer(completion)
            self.session = session
            self.answer = answer
            task = session.dataTask(with: request) { answer.give($0, $1, $2) }
        }

        func resume() {
            if answer.isDue { task.resume() }
        }

        func suspend() { task.suspend() }

        func cancel() {
            answer.give(nil, nil, URLError(.cancelled))
            // Where a cancel meets the end of its task, the task registry calls fatalError. Tasks end on the
            // delegate queue, so without a cache it is safe there; with one, only once the response has begun.
            let (session, task) = (session, task)
            session.delegateQueue.addOperation {
                if session.configuration.urlCache == nil || task.response != nil { task.cancel() }
            }
        }
    }
#endif

/// A completion that can be called any number of times, and calls on once.
final class OneAnswer: Sendable {
    private let completion: Lock<(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)?>

    init(_ completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) {
        self.completion = Lock(completion)
    }

    var isDue: Bool { completion.withLock { $0 != nil } }

    func give(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        completion.withLock { $0.take() }?(data, response, error)
    }
}
