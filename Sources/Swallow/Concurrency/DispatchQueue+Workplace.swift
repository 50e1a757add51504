import Dispatch

#if os(Linux) && canImport(Glibc)
    internal import CurlEngine
#endif

extension DispatchQueue {
    /// Parses and decodes responses whose handlers name no queue of their own.
    static let workplace = {
        let queue = DispatchQueue(label: "Swallow.work", qos: .userInitiated, attributes: .concurrent)
        queue.setSpecific(key: mark, value: ())
        return queue
    }()

    /// The workplace if the caller is on it, or on one of the package's own threads, where a response is parsed and
    /// decoded without another hop; else nil.
    static var workplaceHere: DispatchQueue? {
        #if os(Linux) && canImport(Glibc)
            if CurlWorkers.isCurrent { return workplace }
        #endif
        return getSpecific(key: mark) == nil ? nil : workplace
    }

    private static let mark = DispatchSpecificKey<Void>()
}
