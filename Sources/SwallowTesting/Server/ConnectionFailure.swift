enum ConnectionFailure: Error {
    /// The connection can't be used any longer, for example because the client has left.
    case disconnected
    /// The server rejects the request with this status, and closes the connection.
    case rejected(status: Int)
}
