import Dispatch

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

    /// On Linux, the main queue has many objects.
    func isSame(as other: DispatchQueue?) -> Bool {
        self === other || isMain && other?.isMain == true
    }

    private static let mainLabel = DispatchQueue.main.label
}
