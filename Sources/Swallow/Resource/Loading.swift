/// A load under way. Its resource has at most one, and forgets it when it ends: an answer that comes later finds another
/// one there, or none.
@MainActor
final class Loading<Content: Sendable> {
    /// What the handles of the load share.
    nonisolated let outcome = LoadOutcome<Content>()
    /// Cancels the load for its handles.
    private(set) weak var resource: Resource<Content>?
    /// How often the resource had been invalidated when it began.
    let invalidations: Int
    /// The data whose validators are sent, and the revision that it is.
    let base: (data: Entity<Content>, revision: Int)?
    /// The error before the load, which comes back if the load is cancelled.
    let mended: ServiceError?
    /// The futures that run for the load, cancelled at its end.
    var work: [StartedFuture] = []
    /// A task that the app has made, and whose answer the load takes.
    var task: ServiceTask?
    /// Whether caches are still being read.
    var readsCaches = false
    /// The server's failure, kept while caches are still being read.
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

    /// How far it is, from 0 to 1, as far as its request knows.
    var progress: Double {
        let tasks = work.compactMap { if case .request(let task) = $0.work { task } else { nil } }
        let fractions = (tasks + [task].compactMap { $0 }).compactMap { $0.progress.fraction }
        return min(1, max(0, fractions.max() ?? 0))
    }

    /// Cancels what runs for the load. A task that the app has made goes on if its method isn't safe, unless the load's handle is
    /// cancelled.
    func stop(isAskedFor: Bool = false) {
        for work in work { work.cancel() }
        work = []
        if let task, isAskedFor || task.request.method.isSafe { task.cancel() }
        task = nil
    }
}
