import Dispatch

extension DispatchQueue {
    /// The queue that parses and decodes responses if their handlers name no queue.
    static let workplace = {
        let queue = DispatchQueue(label: "Swallow.work", qos: .userInitiated, attributes: .concurrent)
        queue.setSpecific(key: mark, value: ())
        return queue
    }()

    /// The workplace, if the caller is on it or on one of the package's own threads. A response is then parsed and
    /// decoded without a change of thread. Otherwise `nil`.
    static var workplaceHere: DispatchQueue? {
        WorkerPool.isCurrent || getSpecific(key: mark) != nil ? workplace : nil
    }

    private static let mark = DispatchSpecificKey<Void>()
}
