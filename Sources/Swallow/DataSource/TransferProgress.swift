/// How far a transfer is, how fast, and for how much longer: the bytes of the bodies, without heads, in both directions.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the request's body that have been sent.
    public var sent: Int64
    /// Bytes of the response's body that are here, as they travel: before a content coding is removed. A download that
    /// resumes counts from the beginning of the whole.
    public var received: Int64
    /// How many bytes the request's body has; nil where that isn't known.
    public var expectedToSend: Int64?
    /// How many bytes the response's body has, by its `Content-Length`; nil where it has none. For a download that
    /// resumes, how many the whole has.
    public var expectedToReceive: Int64?
    /// The offset in the whole at which a download that resumes has asked to begin (RFC 9110 §14.2); 0 for any other
    /// transfer.
    public var offset: Int64
    /// Bytes a second, both directions together, over the last five seconds. ``ServiceTask/progress`` has this from the
    /// second time it is read on; elsewhere it is nil.
    public var bytesPerSecond: Double?

    /// Makes a progress; by default nothing is known.
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
        // Once a response of unknown size has begun, the total is unknown.
        if received > 0, expectedToReceive == nil { return nil }
        var (done, total) = (Int64(0), Int64(0))
        if let expectedToSend { (done, total) = (sent, expectedToSend) }
        if let expectedToReceive { (done, total) = (done &+ received, total &+ expectedToReceive) }
        return total > 0 ? (done, total) : nil
    }
}
