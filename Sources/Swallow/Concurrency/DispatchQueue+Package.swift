import Dispatch

extension DispatchQueue {
    private static let packageKey = DispatchSpecificKey<Void>()

    /// Makes the queue one of the package's own: work that finds itself on one may stay there, for as long as it likes.
    /// No handler of an app's runs on it.
    package func becomePackageQueue() {
        setSpecific(key: Self.packageKey, value: ())
    }

    /// Whether the caller is on one of the package's own queues.
    package static var isOnPackageQueue: Bool { getSpecific(key: packageKey) != nil }
}
