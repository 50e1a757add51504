#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Dispatch
    import SwallowLock

    /// Moves the release of objects that may belong to an app from a loop's thread to another thread, because an app's
    /// `deinit` must not block the loop.
    package final class LoopThread {
        private var leftovers: [@Sendable () -> Void] = []

        /// The calling thread if it runs an event loop, otherwise `nil`.
        package static var current: LoopThread? {
            swallow_loop().map { Unmanaged<LoopThread>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Marks the calling thread as an event loop's thread until `end()`.
        func begin() {
            swallow_become_loop(Unmanaged.passUnretained(self).toOpaque())
        }

        /// Stores a job for another thread. The job's closure captures the objects to release.
        package func leave(_ job: @escaping @Sendable () -> Void) {
            leftovers.append(job)
        }

        /// Passes the jobs to another thread, which runs and releases them. Call this function when this thread no
        /// longer holds the objects that the jobs capture.
        func clear() {
            if leftovers.isEmpty { return }
            // The other thread empties the box, so it doesn't matter which thread releases the box last.
            let box = Lock(leftovers)
            leftovers = []
            DispatchQueue.global(qos: .utility).async {
                for job in box.withLock({ jobs in
                    defer { jobs = [] }
                    return jobs
                }) { job() }
            }
        }

        func end() {
            clear()
            swallow_become_loop(nil)
        }
    }
#endif
