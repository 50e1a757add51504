#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Dispatch
    import Foundation
    import Glibc
    import SwallowLock

    /// Lets another thread release the app's objects, because their `deinit` must not block the loop.
    package final class LoopThread {
        private var postponedJobs: [@Sendable () -> Void] = []

        package static var current: LoopThread? {
            swallow_loop().map { Unmanaged<LoopThread>.fromOpaque($0).takeUnretainedValue() }
        }

        func begin() {
            swallow_become_loop(Unmanaged.passUnretained(self).toOpaque())
        }

        package func leave(_ job: @escaping @Sendable () -> Void) {
            postponedJobs.append(job)
        }

        /// Passes the jobs to another thread. This thread must no longer hold the objects that the jobs capture.
        func clear() {
            if postponedJobs.isEmpty { return }
            // The other thread empties the box, so it doesn't matter which thread releases the box last.
            let box = Lock(postponedJobs)
            postponedJobs = []
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

    /// Starts detached threads. Foundation's `Thread` doesn't report that the system can't create a thread.
    package enum DetachedThread {
        private final class Body: Sendable {
            let run: @Sendable () -> Void

            init(_ run: @escaping @Sendable () -> Void) {
                self.run = run
            }
        }

        package static func start(_ run: @escaping @Sendable () -> Void) throws {
            let body = Unmanaged.passRetained(Body(run))
            var thread = pthread_t()
            let code = pthread_create(
                &thread, nil,
                { context in
                    if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                    return nil
                }, body.toOpaque())
            guard code == 0 else {
                body.release()
                throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EAGAIN)
            }
            pthread_detach(thread)
        }
    }
#endif
