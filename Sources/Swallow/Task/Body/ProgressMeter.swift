import Foundation

struct ProgressMeter: Sendable {
    private var samples: [(time: Date, bytes: Int64)] = []

    /// Returns the speed in bytes per second, or `nil` for the first sample.
    mutating func note(_ progress: TransferProgress, at time: Date) -> Double? {
        let bytes = progress.sent &+ progress.received &- progress.offset
        // The clock may have been set back, or a new attempt may have begun.
        if let last = samples.last, time < last.time || bytes < last.bytes { samples = [] }
        if let last = samples.last {
            samples.removeAll { time.timeIntervalSince($0.time) > 5 && $0.time != last.time }
        }
        // Samples within 50 ms count as one.
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
