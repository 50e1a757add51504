/// The progress of a transfer in both directions. It counts the bytes of bodies, without heads.
public struct TransferProgress: Sendable, Hashable {
    /// The number of bytes of the request's body that were sent.
    public var sent: Int64
    /// The number of bytes of the response's body that were received, usually before a content coding was removed. A
    /// resumed download counts from the beginning of the complete file.
    public var received: Int64
    /// The size of the request's body in bytes, or `nil` if it isn't known.
    public var expectedToSend: Int64?
    /// The size of the response's body in bytes, usually from its `Content-Length`, or `nil` if it isn't known. For a
    /// resumed download, it is the size of the complete file.
    public var expectedToReceive: Int64?
    /// The offset in the complete file at which a resumed download starts (RFC 9110 §14.2). Otherwise 0.
    public var offset: Int64
    /// The recent speed in bytes per second, or `nil` if unknown. ``ServiceTask/progress`` measures it.
    public var bytesPerSecond: Double?

    /// Creates the progress of a transfer. By default, no bytes have been transferred, and the sizes are unknown.
    public init(
        sent: Int64 = 0, received: Int64 = 0, expectedToSend: Int64? = nil, expectedToReceive: Int64? = nil,
        offset: Int64 = 0
    ) {
        self.sent = sent
        self.received = received
        self.expectedToSend = expectedToSend
        self.expectedToReceive = expectedToReceive
        self.offset = offset
    }

    /// The completed fraction from 0 to 1. `nil` if no size above 0 is known, or once a response body of unknown size
    /// arrives.
    public var fraction: Double? {
        guard let (done, total) = counts else { return nil }
        return min(1, Double(done) / Double(total))
    }

    /// The remaining time at the current speed, or `nil` if it can't be estimated.
    public var timeLeft: Duration? {
        guard let (done, total) = counts, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return Duration(clamping: Double(max(0, total &- done)) / bytesPerSecond)
    }

    private var counts: (done: Int64, total: Int64)? {
        if received > 0, expectedToReceive == nil { return nil }
        var (done, total) = (Int64(0), Int64(0))
        if let expectedToSend { (done, total) = (sent, expectedToSend) }
        if let expectedToReceive { (done, total) = (done &+ received, total &+ expectedToReceive) }
        return total > 0 ? (done, total) : nil
    }
}
