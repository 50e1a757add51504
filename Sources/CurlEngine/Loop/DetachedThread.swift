#if os(Linux) && canImport(Glibc)
    import Foundation
    import Glibc

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
