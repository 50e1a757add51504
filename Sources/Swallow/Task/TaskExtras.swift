/// The state of 320 bytes that few tasks need. The object is created when the first part of the state is set.
// Unchecked: only a task's core refers to the object, and uses it under the task's lock.
final class TaskExtras: @unchecked Sendable {
    /// Work that the task waits for, and its caller. They are released when the task completes.
    struct Works: Sendable {
        /// Fails the transfer after the request's timeout.
        var deadline: ScheduledWork?
        /// Runs the async adapters before the request is sent.
        var adaptation: ScheduledWork?
        /// Waits for the credential or the delay of the next attempt.
        var wait: ScheduledWork?
        /// The code that started the task, if a later attempt may need its task-local values.
        var caller: Caller?

        func cancel() {
            deadline?.cancel()
            adaptation?.cancel()
            wait?.cancel()
        }
    }

    var works = Works()
    /// The state of caching, or `nil` if no cache takes part.
    var caching: TaskCaching?
    /// `nil` if the body is only collected in memory.
    var body: BodyDestination?
    /// The names of the fields that the app's own authenticator has set.
    var secretFields: [String] = []
    /// The request's own redirect policy, if a data source adapter has to pass it on.
    var redirects: RedirectOverride?
}
