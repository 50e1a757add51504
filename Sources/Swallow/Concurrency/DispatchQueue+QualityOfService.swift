import Dispatch

extension DispatchQueue {
    /// The global concurrent queue for work that the user doesn't notice.
    public static let background = DispatchQueue.global(qos: .background)
    /// The global concurrent queue for work that the user follows without waiting.
    public static let utility = DispatchQueue.global(qos: .utility)
    /// The global concurrent queue for work that the user has asked for and waits for.
    public static let userInitiated = DispatchQueue.global(qos: .userInitiated)
    /// The global concurrent queue for work that the user interface can't go on without.
    public static let userInteractive = DispatchQueue.global(qos: .userInteractive)

    /// The main queue, as one object: on Linux `DispatchQueue.main` makes another each time.
    static let mainActor = DispatchQueue.main

    /// Whether this is the main queue.
    var isMain: Bool { self === Self.mainActor || label == Self.mainLabel }

    /// Whether both are the same queue: on Linux the main queue has many objects.
    func isSame(as other: DispatchQueue?) -> Bool {
        self === other || isMain && other?.isMain == true
    }

    private static let mainLabel = DispatchQueue.main.label
}
