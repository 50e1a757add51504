/// How far a transfer is: the bytes of the bodies, without heads, in both directions.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the request's body that have been sent.
    public var sent: Int64
    /// Bytes of the response's body that are here, as they travel: before a content coding is removed. A download that goes on
    /// counts from the beginning of the whole.
    public var received: Int64
    /// How many bytes the request's body has; nil where that isn't known.
    public var expectedToSend: Int64?
    /// How many bytes the response's body has, by its `Content-Length`; nil where it has none. Of a download that goes on, how
    /// many the whole has.
    public var expectedToReceive: Int64?
    /// Where in the whole a download that goes on has asked to begin (RFC 9110 §14.2); 0 for any other transfer.
    public var offset: Int64

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
}
