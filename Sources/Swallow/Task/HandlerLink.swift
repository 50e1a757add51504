import Dispatch

/// One handler, or one `await`, in a task's chain.
struct HandlerLink: Sendable {
    /// Makes what the handler reads, and returns the call that hands it over.
    typealias Preparation = @Sendable (inout ContentAdapter) throws(ServiceError) -> Delivery
    typealias Delivery = @Sendable () throws -> Void
    /// Takes a failure; a link that recovers returns the entity to go on with.
    typealias FailureHandler = @Sendable (ServiceError) throws -> Entity<any Sendable>?

    /// Where the handler runs; nil for one that only resumes a continuation, which it may do anywhere.
    let queue: DispatchQueue?
    /// What has to be made before it can run.
    let need: ContentAdapter.Need
    /// What it does after a success; nil passes it over.
    let onSuccess: Preparation?
    /// What it does after a failure; nil passes it over.
    let onFailure: FailureHandler?

    init(
        queue: DispatchQueue?, need: ContentAdapter.Need, onSuccess: @escaping Preparation,
        onFailure: FailureHandler? = nil
    ) {
        self.queue = queue
        self.need = need
        self.onSuccess = onSuccess
        self.onFailure = onFailure
    }

    init(queue: DispatchQueue, onFailure: @escaping FailureHandler) {
        self.queue = queue
        need = .bytes
        onSuccess = nil
        self.onFailure = onFailure
    }

    /// Where to make what the handler reads: its own queue, but never the main one.
    var preparationQueue: DispatchQueue {
        guard let queue, queue !== DispatchQueue.mainActor, queue.label != DispatchQueue.mainActor.label
        else {
            return .userInitiated
        }
        return queue
    }
}
