/// Why a connection can't go on.
enum ConnectionFailure: Error {
    /// The peer has left, or the server has stopped.
    case disconnected
    /// The peer sent what this server doesn't take: it gets this status and the connection is closed.
    case rejected(status: Int)
}
