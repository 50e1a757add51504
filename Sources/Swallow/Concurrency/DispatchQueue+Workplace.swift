import Dispatch

extension DispatchQueue {
    /// The queue that parses and decodes responses if their handlers name no queue.
    static let workplace = {
        let queue = DispatchQueue(label: "Swallow.work", qos: .userInitiated, attributes: .concurrent)
        queue.setSpecific(key: mark, value: ())
        return queue
    }()

    /// The workplace, if the caller is on it or on the package's own threads, so that the thread needn't change.
    static var workplaceHere: DispatchQueue? {
        WorkerPool.isCurrent || getSpecific(key: mark) != nil ? workplace : nil
    }

    private static let mark = DispatchSpecificKey<Void>()
}
