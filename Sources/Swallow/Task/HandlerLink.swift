import Dispatch

/// One handler, or one `await`, in a task's chain.
struct HandlerLink: Sendable {
    /// Reads the content and hands it over. What it throws fails the chain.
    typealias SuccessHandler = @Sendable (ContentAdapter) throws -> Void
    /// Takes a failure; a link that recovers returns the entity to go on with.
    typealias FailureHandler = @Sendable (ServiceError) throws -> Entity<any Sendable>?

    /// Where the handler runs; nil for one that only resumes a continuation, which it may do anywhere.
    let queue: DispatchQueue?
    /// What is to be made of the content before it runs.
    let need: ContentAdapter.Need
    /// What it does after a success; nil passes it over.
    let onSuccess: SuccessHandler?
    /// What it does after a failure, its own included; nil passes it over.
    let onFailure: FailureHandler?

    /// Where to make what the handler reads: its own queue, but never the main one.
    var preparationQueue: DispatchQueue {
        guard let queue, !queue.isMain else { return .userInitiated }
        return queue
    }
}
