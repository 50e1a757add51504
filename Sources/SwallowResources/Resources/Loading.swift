import Swallow

/// A running load. Its resource has at most one, and drops its reference when the load completes. A response that
/// arrives later finds another load there, or none.
@MainActor
final class Loading<Content: Sendable> {
    /// The outcome that all handles of the load share.
    nonisolated let outcome = LoadOutcome<Content>()
    /// The resource, through which handles cancel the load.
    private(set) weak var resource: Resource<Content>?
    /// The number of times the resource had been invalidated when the load began.
    let invalidations: Int
    /// The data whose validators are sent, and its revision.
    let base: (data: Entity<Content>, revision: Int)?
    /// The error before the load. It is restored if the load is cancelled.
    let mended: ServiceError?
    /// The futures that run for the load. They are cancelled when it completes.
    var work: [StartedFuture] = []
    /// A task that the app created. The load uses its response.
    var task: ServiceTask?
    /// Whether caches are still being read.
    var readsCaches = false
    /// The server's failure, kept until the caches have been read.
    var failure: ServiceError?

    init(
        of resource: Resource<Content>, base: (data: Entity<Content>, revision: Int)?,
        mending error: ServiceError?
    ) {
        self.resource = resource
        self.base = base
        mended = error
        invalidations = resource.invalidations
    }

    /// The progress from 0 to 1, as far as the request knows it.
    var progress: Double {
        let tasks = work.compactMap { if case .request(let task) = $0.work { task } else { nil } }
        let fractions = (tasks + [task].compactMap { $0 }).compactMap { $0.progress.fraction }
        return min(1, max(0, fractions.max() ?? 0))
    }

    /// Cancels the work of the load. A task that the app created continues if its method isn't safe, unless the load's
    /// handle is cancelled.
    func stop(isAskedFor: Bool = false) {
        for work in work { work.cancel() }
        work = []
        if let task, isAskedFor || task.request.method.isSafe { task.cancel() }
        task = nil
    }
}
