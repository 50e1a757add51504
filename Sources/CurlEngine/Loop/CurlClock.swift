#if os(Linux) && canImport(Glibc)
    import Foundation

    /// The monotonic clock, in nanoseconds.
    enum CurlClock {
        static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

        static let never = UInt64.max

        /// The longest duration that counts. The clock plus a hundred years doesn't overflow.
        private static let century = Duration.seconds(100 * 365 * 24 * 3600)

        static func nanoseconds(_ limit: Duration) -> UInt64 {
            let (seconds, attoseconds) = min(max(limit, .zero), century).components
            return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        }

        static func nanoseconds(timeout: TimeInterval) -> UInt64 {
            timeout > 0 && timeout < 3e9 ? UInt64(timeout * 1e9) : never
        }

        static func moment(_ start: UInt64, after limit: UInt64) -> UInt64 {
            let (moment, overflows) = start.addingReportingOverflow(limit)
            return overflows ? never : moment
        }
    }
#endif
