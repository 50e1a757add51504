#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Dispatch

    /// What goes away on the thread of a loop and may be an app's: another thread releases it, once the loop's has left it.
    final class LoopThread {
        private var leftovers: [@Sendable () -> Void] = []

        /// That of the calling thread; nil on all others.
        static var current: LoopThread? {
            swallow_loop().map { Unmanaged<LoopThread>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Makes the calling thread a loop's, until `end()`.
        func begin() {
            swallow_become_loop(Unmanaged.passUnretained(self).toOpaque())
        }

        /// Keeps a job for another thread to run. The objects to release are those that its closure captures.
        func leave(_ job: @escaping @Sendable () -> Void) {
            leftovers.append(job)
        }

        /// Passes the jobs to another thread, which runs and releases them. Call it when this thread no longer holds the
        /// objects that the jobs capture.
        func clear() {
            if leftovers.isEmpty { return }
            // The loop's thread keeps the box at most, which is empty then.
            let box = Lock(leftovers)
            leftovers = []
            DispatchQueue.utility.async {
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
