/// Compresses and decompresses the messages of one connection (RFC 7692). Used by one thread at a time.
protocol WebSocketDeflating: AnyObject, Sendable {
    /// Returns `nil` if the message is sent uncompressed.
    func compressed(_ bytes: ArraySlice<UInt8>) -> [UInt8]?

    /// Fails with 1009 as soon as the message has more bytes than the limit.
    func decompressed(_ bytes: [UInt8], limit: Int) throws(WebSocketFailure) -> [UInt8]
}
