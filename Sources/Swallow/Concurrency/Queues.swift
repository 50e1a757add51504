import Foundation

extension DispatchQueue {
    /// The global concurrent queue for work that the user doesn't notice.
    public static let background = DispatchQueue.global(qos: .background)
    /// The global concurrent queue for work that the user follows without waiting.
    public static let utility = DispatchQueue.global(qos: .utility)
    /// The global concurrent queue for work that the user has requested and waits for.
    public static let userInitiated = DispatchQueue.global(qos: .userInitiated)
    /// The global concurrent queue for work that the user interface needs in order to continue.
    public static let userInteractive = DispatchQueue.global(qos: .userInteractive)

    /// The main queue as one object. On Linux, `DispatchQueue.main` returns a new object each time.
    static let mainActor = DispatchQueue.main

    var isMain: Bool { self === Self.mainActor || label == Self.mainLabel }

    func isSame(as other: DispatchQueue?) -> Bool {
        self === other || isMain && other?.isMain == true
    }

    private static let mainLabel = DispatchQueue.main.label
}

extension DispatchQueue {
    static let parsing = {
        let queue = DispatchQueue(label: "Swallow.parsing", qos: .userInitiated, attributes: .concurrent)
        queue.setSpecific(key: mark, value: ())
        return queue
    }()

    static var parsingHere: DispatchQueue? {
        WorkerPool.isCurrent || getSpecific(key: mark) != nil ? parsing : nil
    }

    private static let mark = DispatchSpecificKey<Void>()
}

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
