import Foundation

extension MainActor {
    /// Runs work on the main actor. It runs immediately if the caller is on the main actor. Otherwise, it is enqueued.
    static func runSoon(_ work: @escaping @MainActor () -> Void) {
        // On Linux, another thread takes over the main queue after the program becomes asynchronous.
        if Thread.isMainThread || DispatchQueue.getSpecific(key: mark) != nil {
            assumeIsolated(work)
        } else {
            DispatchQueue.main.async { assumeIsolated(work) }
        }
    }

    /// Marks the main queue.
    private static let mark: DispatchSpecificKey<Void> = {
        let mark = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: mark, value: ())
        return mark
    }()
}
