/// Compresses and decompresses the messages of one connection (RFC 7692). Used by one thread at a time.
protocol WebSocketDeflating: AnyObject, Sendable {
    /// Compresses a message. Returns `nil` if it is sent uncompressed.
    func compressed(_ bytes: ArraySlice<UInt8>) -> [UInt8]?

    /// Decompresses a message. Fails with 1009 if it has more bytes than the limit.
    func decompressed(_ bytes: [UInt8], limit: Int) throws(WebSocketFailure) -> [UInt8]
}
