import Foundation

extension MainActor {
    /// Runs work on the main actor: at once if the caller is on it, else as soon as it is free.
    static func runSoon(_ work: @escaping @MainActor () -> Void) {
        // On Linux another thread takes over the main queue once the program is asynchronous.
        if Thread.isMainThread || DispatchQueue.getSpecific(key: mark) != nil {
            assumeIsolated(work)
        } else {
            DispatchQueue.mainActor.async { assumeIsolated(work) }
        }
    }

    /// Marks the main queue.
    private static let mark: DispatchSpecificKey<Void> = {
        let mark = DispatchSpecificKey<Void>()
        DispatchQueue.mainActor.setSpecific(key: mark, value: ())
        return mark
    }()
}
