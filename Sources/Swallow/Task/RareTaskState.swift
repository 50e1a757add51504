/// State of 320 bytes, which few tasks need.
// Unchecked: only a task's core refers to the object, and uses it under the task's lock.
final class RareTaskState: @unchecked Sendable {
    struct PendingWork: Sendable {
        var deadline: ScheduledWork?
        var adaptation: ScheduledWork?
        var nextAttempt: ScheduledWork?
        /// Only set if a later attempt may need the caller's task-local values.
        var caller: Caller?

        func cancel() {
            deadline?.cancel()
            adaptation?.cancel()
            nextAttempt?.cancel()
        }
    }

    var pendingWork = PendingWork()
    var caching: TaskCaching?
    /// `nil` if the body is only collected in memory.
    var body: BodyDestination?
    var secretFields: [String] = []
    /// Only set if a data source adapter has to pass the policy on.
    var redirects: RedirectOverride?
}
