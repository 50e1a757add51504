#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Dispatch
    import SwallowLock

    /// Moves the release of objects that may be an app's from a loop's thread to another: a `deinit` of the app's must
    /// not hold up the loop.
    package final class LoopThread {
        private var leftovers: [@Sendable () -> Void] = []

        /// The calling thread, if it is a loop's; else nil.
        package static var current: LoopThread? {
            swallow_loop().map { Unmanaged<LoopThread>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Makes the calling thread a loop's, until `end()`.
        func begin() {
            swallow_become_loop(Unmanaged.passUnretained(self).toOpaque())
        }

        /// Keeps a job for another thread to run. The objects to release are those that its closure captures.
        package func leave(_ job: @escaping @Sendable () -> Void) {
            leftovers.append(job)
        }

        /// Passes the jobs to another thread, which runs and releases them. Call it when this thread no longer holds the
        /// objects that the jobs capture.
        func clear() {
            if leftovers.isEmpty { return }
            // If the loop's thread is the last to release the box, the box is empty by then.
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
