import Swallow

extension TransferProgress {
    /// The same without the speed, which goes by the clock.
    package var counts: TransferProgress {
        var counts = self
        counts.bytesPerSecond = nil
        return counts
    }
}
