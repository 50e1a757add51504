/// State of 320 bytes, which few tasks need.
// Unchecked: only a task's core refers to the object, and uses it under the task's lock.
final class TaskExtras: @unchecked Sendable {
    struct Works: Sendable {
        var deadline: ScheduledWork?
        var adaptation: ScheduledWork?
        var wait: ScheduledWork?
        /// Only set if a later attempt may need the caller's task-local values.
        var caller: Caller?

        func cancel() {
            deadline?.cancel()
            adaptation?.cancel()
            wait?.cancel()
        }
    }

    var works = Works()
    var caching: TaskCaching?
    /// `nil` if the body is only collected in memory.
    var body: BodyDestination?
    var secretFields: [String] = []
    /// Only set if a data source adapter has to pass the policy on.
    var redirects: RedirectOverride?
}
