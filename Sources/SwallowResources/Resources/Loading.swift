import Swallow

@MainActor
final class Loading<Content: Sendable> {
    nonisolated let outcome = LoadOutcome<Content>()
    private(set) weak var resource: Resource<Content>?
    /// The resource's ``Resource/invalidations`` when the load began.
    let invalidations: Int
    /// The data that a 304 may confirm, and its revision.
    let base: (data: Entity<Content>, revision: Int)?
    let earlierError: ServiceError?
    var work: [StartedFuture] = []
    var task: ServiceTask?
    var readsCaches = false
    /// The failure of the request to the server, while the load still waits for the caches.
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

    /// Cancels the load's tasks. A write of ``Resource/load(using:)`` continues, unless `isExplicit` is `true`.
    func stop(isExplicit: Bool = false) {
        for work in work { work.cancel() }
        work = []
        if let task, isExplicit || task.request.method.isSafe { task.cancel() }
        task = nil
    }
}
