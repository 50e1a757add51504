/// The state that few tasks need, 320 bytes; the object is made when the first part of it is set.
// Unchecked: only a task's core knows it, and reaches it under the task's lock.
final class TaskExtras: @unchecked Sendable {
    /// What works or waits for a task, and goes with it.
    struct Works: Sendable {
        /// Ends the transfer when the request's timeout has passed.
        var deadline: ScheduledWork?
        /// Runs the async adapters before the request is sent.
        var adaptation: ScheduledWork?
        /// What the next attempt waits for: a credential, or its time.
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
    /// The state of caching; nil where no cache takes part.
    var caching: RequestCaching?
    /// `nil` if the body is only collected in memory.
    var body: BodyDestination?
    /// The names of the fields that an authenticator of the app's own has set.
    var secretFields: [String] = []
    /// The request's own redirect policy, if a data source adapter has to pass it on.
    var redirects: RedirectOverride?
}
