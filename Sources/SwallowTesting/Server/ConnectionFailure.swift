enum ConnectionFailure: Error {
    /// The client has left, or the server has stopped.
    case disconnected
    /// The request isn't valid. The server responds with this status, and closes the connection.
    case rejected(status: Int)
}
