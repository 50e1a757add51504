import Foundation

/// How far a task is, how fast, and for how much longer.
public struct TaskProgress: Sendable, Hashable {
    /// The bytes in both directions, and how many there are to be.
    public var transfer: TransferProgress
    /// Bytes a second, in both directions, of the last five seconds as far as they were looked at; nil at the first look.
    public var bytesPerSecond: Double?

    /// Makes a progress.
    public init(transfer: TransferProgress = TransferProgress(), bytesPerSecond: Double? = nil) {
        self.transfer = transfer
        self.bytesPerSecond = bytesPerSecond
    }

    /// From 0 to 1, of the bytes whose number is known; nil where none is, or the response has no `Content-Length`.
    public var fraction: Double? {
        guard let (done, total) = counts else { return nil }
        return min(1, Double(done) / Double(total))
    }

    /// How much longer it takes at this speed; nil where that can't be told.
    public var timeLeft: Duration? {
        guard let (done, total) = counts, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return Duration(clamping: Double(max(0, total &- done)) / bytesPerSecond)
    }

    private var counts: (done: Int64, total: Int64)? {
        // The size of an answer that has begun, and isn't known, makes the whole unknown.
        if transfer.received > 0, transfer.expectedToReceive == nil { return nil }
        var (done, total) = (Int64(0), Int64(0))
        if let expected = transfer.expectedToSend { (done, total) = (transfer.sent, expected) }
        if let expected = transfer.expectedToReceive {
            (done, total) = (done &+ transfer.received, total &+ expected)
        }
        return total > 0 ? (done, total) : nil
    }
}

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
