enum ConnectionFailure: Error {
    /// The client has left, or the server has stopped.
    case disconnected
    /// The server rejects the request with this status, and closes the connection.
    case rejected(status: Int)
}
