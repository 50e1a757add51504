import Foundation

package struct TransferContext: Sendable {
    package var clock: (any ServiceClock)?
    package var prepareRedirect: (@Sendable (inout URLRequest) -> Void)?
    package var caller: Caller?
    /// The names of fields that an authenticator has set. Their values must not be recorded.
    package var secretFields: [String] = []
    package var redirects: RedirectOverride?

    var isStandard: Bool {
        clock == nil && prepareRedirect == nil && caller == nil && secretFields.isEmpty && redirects == nil
    }

    @TaskLocal package static var current = TransferContext()

    package static var currentClock: any ServiceClock { current.clock ?? .system }
}

/// An object that starts Swift tasks with the priority and the task-local values of the code that created it.
package final class Caller: Sendable {
    private let jobs: AsyncStream<@Sendable () -> Void>.Continuation

    package init() {
        let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        jobs = continuation
        Task { for await work in stream { work() } }
    }

    deinit { jobs.finish() }

    /// Starts a Swift task. If `caller` is `nil`, the priority and the task-local values are from the calling code.
    package static func startTask(
        for caller: Caller?, _ body: @escaping @Sendable () async -> Void
    ) -> ScheduledWork {
        guard let caller else {
            let task = Task { await body() }
            return ScheduledWork { task.cancel() }
        }
        var context = TransferContext.current
        context.caller = nil
        let start = Lock(Start())
        caller.jobs.yield { [context] in
            let task = TransferContext.$current.withValue(context) { Task { await body() } }
            let isCancelled = start.withLock { start in
                start.task = task
                return start.isCancelled
            }
            if isCancelled { task.cancel() }
        }
        return ScheduledWork {
            let task = start.withLock { start in
                start.isCancelled = true
                return start.task
            }
            task?.cancel()
        }
    }

    private struct Start: Sendable {
        var task: Task<Void, Never>?
        var isCancelled = false
    }
}
