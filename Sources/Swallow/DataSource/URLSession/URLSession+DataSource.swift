import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Any session that an app already has, with its own configuration, delegate and rules.
///
/// A session follows redirects itself, so a request with the option `.redirects` fails with `.invalidRequest` and isn't sent.
///
/// On Linux, where a session's own `cancel()` and `suspend()` can abort the process, a suspended task goes on and
/// holds its completion back, and a cancelled one ends at once; a session with a URL cache (`URLSession.shared` has
/// one) then goes on with it until the response begins.
extension URLSession: SessionDataTaskDataSource {
    /// Returns a task of this session that has not started.
    public func dataTask(
        with request: URLRequest,
        completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> any DataTask {
        if SenderTerms.current.redirects != nil {
            return RefusedDataTask(RedirectOverride.refusal, completion)
        }
        #if canImport(FoundationNetworking)
            return GuardedDataTask(session: self, request: request, completion: completion)
        #else
            return dataTask(with: request, completionHandler: completion)
        #endif
    }
}

/// A task that sends nothing and completes with an error.
private final class RefusedDataTask: DataTask {
    private let outbox: Outbox<ServiceError>

    init(_ error: ServiceError, _ completion: @escaping PartQueue.Completion) {
        outbox = Outbox(error, completion)
    }

    func resume() {
        outbox.change(isOwnCall: true) { error, queue in
            queue.resume()
            queue.end(with: .failure(error))
        }
    }

    func suspend() { outbox.change { $1.suspend() } }
    func cancel() { outbox.change { $1.fail(with: URLError(.cancelled)) } }
}

#if canImport(FoundationNetworking)
    /// Keeps a session's task from aborting the process.
    private final class GuardedDataTask: DataTask {
        private let session: URLSession
        private let task: URLSessionDataTask
        /// Holds whether the task was started.
        private let outbox: Outbox<Bool>

        init(session: URLSession, request: URLRequest, completion: @escaping PartQueue.Completion) {
            let outbox = Outbox(false, completion)
            self.session = session
            self.outbox = outbox
            task = session.dataTask(with: request.forSession) { data, response, error in
                outbox.change { $1.end(with: Ending(data, response, error)) }
            }
        }

        func resume() {
            let starts = outbox.change(isOwnCall: true) { wasStarted, queue in
                queue.resume()
                defer { wasStarted = true }
                return !wasStarted && queue.isOpen
            }
            if starts { task.resume() }
        }

        // Only the completion is held: on Linux, Foundation's own suspend() calls fatalError where it meets the end of its task.
        func suspend() { outbox.change { $1.suspend() } }

        func cancel() {
            outbox.change { $1.fail(with: URLError(.cancelled)) }
            // Where a cancel meets the end of its task, Foundation's registry of tasks calls fatalError. Tasks end on the
            // delegate queue, so without a cache it is safe there; with one, only once the response has begun.
            let (session, task) = (session, task)
            session.delegateQueue.addOperation {
                if session.configuration.urlCache == nil || task.response != nil { task.cancel() }
            }
        }
    }
#endif
