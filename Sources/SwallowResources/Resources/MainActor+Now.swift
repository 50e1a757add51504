import Foundation

extension MainActor {
    /// Runs work on the main actor, immediately if the caller is on it, otherwise later.
    static func runSoon(_ work: @escaping @MainActor () -> Void) {
        // On Linux, the main queue moves to another thread when the program becomes asynchronous.
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
