import Foundation

extension MainActor {
    /// Runs work on the main actor, immediately if the caller runs there, otherwise later.
    static func runSoon(_ work: @escaping @MainActor () -> Void) {
        // On Linux, an asynchronous `main` calls `dispatchMain()`, which moves the main queue to another thread.
        if Thread.isMainThread || DispatchQueue.getSpecific(key: mark) != nil {
            assumeIsolated(work)
        } else {
            DispatchQueue.main.async { assumeIsolated(work) }
        }
    }

    private static let mark: DispatchSpecificKey<Void> = {
        let mark = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: mark, value: ())
        return mark
    }()
}
