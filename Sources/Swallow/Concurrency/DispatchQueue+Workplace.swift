import Dispatch

#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
#endif

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
        #if os(Linux) && canImport(Glibc)
            if CurlWorkers.isCurrent { return workplace }
        #endif
        return getSpecific(key: mark) == nil ? nil : workplace
    }

    private static let mark = DispatchSpecificKey<Void>()
}
