/// The reason why a connection ends.
enum ConnectionFailure: Error {
    /// The client has left, or the server has stopped.
    case disconnected
    /// The request isn't valid. The client receives this status, and the connection is closed.
    case rejected(status: Int)
}
