#if os(Linux) && canImport(Glibc)
    /// A request's body that is read while it is sent. The loop never waits for its bytes.
    package protocol EngineBodySource: AnyObject, Sendable {
        /// The length of the body in bytes, or `nil` if the length is unknown.
        var length: Int64? { get }
        /// Whether fields may follow the body.
        var hasTrailers: Bool { get }
        /// Whether `fill` would return anything but `.later`.
        var isReady: Bool { get }
        /// Starts to read ahead.
        func start()
        /// Moves the next bytes to a buffer.
        func fill(_ buffer: UnsafeMutableRawBufferPointer) -> EngineBodyPiece
        func cancel()
        /// Cancels this source. Returns a source for the same body from its beginning, or `nil` if the body can't be
        /// sent again.
        func startedOver() -> (any EngineBodySource)?
    }

    package enum EngineBodyPiece: Sendable {
        /// The number of bytes that were moved.
        case bytes(Int)
        /// No bytes are available yet. When bytes are available, `EngineTransfer.continueBody()` is called.
        case later
        case end(trailers: [(name: String, value: String)])
        case failure(any Error)
    }
#endif
