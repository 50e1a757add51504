import Foundation

extension MainActor {
    static func runSoon(_ work: @escaping @MainActor () -> Void) {
        // On Linux, the main queue may run on another thread than the main thread, so a mark identifies it.
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
