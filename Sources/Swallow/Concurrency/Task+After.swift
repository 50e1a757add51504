extension Task where Success == Void, Failure == any Error {
    /// Runs an action after a time, unless it is cancelled before.
    ///
    /// More than a hundred years count as a hundred: `sleep` traps on times that overflow its clock.
    package static func after(_ time: Duration, _ action: @escaping @Sendable () -> Void) -> Task {
        // Detached: a timer must not keep the task-local values of whoever starts it.
        Task.detached {
            try await Task<Never, Never>.sleep(for: min(time, .century))
            action()
        }
    }
}

extension Duration {
    /// A hundred years: as good as forever, and no clock overflows.
    package static let century = Duration.seconds(100 * 365 * 24 * 3600)
}
