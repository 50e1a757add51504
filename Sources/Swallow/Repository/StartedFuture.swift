/// A ``ServiceFuture`` that was started with a handler: what can still be done about it.
///
/// Nobody needs to keep it: work that was started goes on without.
public struct StartedFuture: Sendable {
    enum Work: Sendable {
        case request(ServiceTask)
        case steps(Task<Void, Never>)
    }

    let work: Work

    /// Ends the work: its handler gets `.cancelled`, unless it has had its outcome or, off the main actor, is about
    /// to get it.
    public func cancel() {
        switch work {
        case .request(let task): task.cancel()
        case .steps(let task): task.cancel()
        }
    }

    /// Waits until the handler has run.
    public func finished() async {
        switch work {
        case .request(let task): _ = try? await task.data
        case .steps(let task): await task.value
        }
    }
}
