import Foundation

extension MainActor {
    /// Runs work immediately on the main actor, or otherwise enqueues it.
    static func runSoon(_ work: @escaping @MainActor () -> Void) {
        // On Linux, another thread takes over the main queue after the program becomes asynchronous.
        if Thread.isMainThread || DispatchQueue.getSpecific(key: mark) != nil {
            assumeIsolated(work)
        } else {
            DispatchQueue.mainActor.async { assumeIsolated(work) }
        }
    }

    private static let mark: DispatchSpecificKey<Void> = {
        let mark = DispatchSpecificKey<Void>()
        DispatchQueue.mainActor.setSpecific(key: mark, value: ())
        return mark
    }()
}
