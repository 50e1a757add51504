import Dispatch

#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
#endif

extension DispatchQueue {
    /// Where responses are parsed and decoded that no handler's queue is named for.
    static let workplace = {
        let queue = DispatchQueue(label: "Swallow.work", qos: .userInitiated, attributes: .concurrent)
        queue.setSpecific(key: mark, value: ())
        return queue
    }()

    /// The workplace, where the caller is on it or on one of the package's own threads: what comes there is parsed and
    /// decoded without another hop.
    static var workplaceHere: DispatchQueue? {
        #if os(Linux) && canImport(Glibc)
            if swallow_is_worker() { return workplace }
        #endif
        return getSpecific(key: mark) == nil ? nil : workplace
    }

    private static let mark = DispatchSpecificKey<Void>()
}
