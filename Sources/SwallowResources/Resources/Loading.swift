import Swallow

/// A running load. Its resource has at most one, and drops it when the load completes.
@MainActor
final class Loading<Content: Sendable> {
    nonisolated let outcome = LoadOutcome<Content>()
    private(set) weak var resource: Resource<Content>?
    /// The number of times the resource had been invalidated when the load began.
    let invalidations: Int
    /// The data whose validators are sent, and its revision.
    let base: (data: Entity<Content>, revision: Int)?
    /// The error before the load. It is restored if the load is cancelled.
    let earlierError: ServiceError?
    var work: [StartedFuture] = []
    /// A task that the app created. The load uses its response.
    var task: ServiceTask?
    var readsCaches = false
    /// The server's failure, stored until the caches have been read.
    var failure: ServiceError?

    init(
        of resource: Resource<Content>, base: (data: Entity<Content>, revision: Int)?,
        after error: ServiceError?
    ) {
        self.resource = resource
        self.base = base
        earlierError = error
        invalidations = resource.invalidations
    }

    var progress: Double {
        let tasks = work.compactMap { if case .request(let task) = $0.work { task } else { nil } }
        let fractions = (tasks + [task].compactMap { $0 }).compactMap { $0.progress.fraction }
        return min(1, max(0, fractions.max() ?? 0))
    }

    /// Cancels the work of the load. A write that the app created continues, unless the load's handle is cancelled.
    func stop(isExplicit: Bool = false) {
        for work in work { work.cancel() }
        work = []
        if let task, isExplicit || task.request.method.isSafe { task.cancel() }
        task = nil
    }
}
