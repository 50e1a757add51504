import Swallow

extension TransferProgress {
    /// The progress without the speed, which depends on the clock.
    package var counts: TransferProgress {
        var counts = self
        counts.bytesPerSecond = nil
        return counts
    }
}
