import Foundation

/// Measures how fast bytes come, by looks at how many there are.
struct ProgressMeter: Sendable {
    private var samples: [(time: Date, bytes: Int64)] = []

    /// Takes a look.
    ///
    /// - Returns: bytes a second; nil at the first look.
    mutating func note(_ progress: TransferProgress, at time: Date) -> Double? {
        let bytes = progress.sent &+ progress.received &- progress.offset
        // A clock that was set back, or an attempt that was made again, begins anew.
        if let last = samples.last, time < last.time || bytes < last.bytes { samples = [] }
        if let last = samples.last {
            samples.removeAll { time.timeIntervalSince($0.time) > 5 && $0.time != last.time }
        }
        // Looks that come in no time make one.
        if samples.count < 2 || time.timeIntervalSince(samples[samples.count - 2].time) >= 0.05 {
            samples.append((time, bytes))
        } else {
            samples[samples.count - 1] = (time, bytes)
        }
        guard let first = samples.first else { return nil }
        let duration = time.timeIntervalSince(first.time)
        return duration > 0 ? Double(bytes &- first.bytes) / duration : nil
    }
}
