#if os(Linux) && canImport(Glibc)
    import SwallowLock

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
        /// Moves the next bytes to a buffer. After `.later`, `EngineTransfer.continueBody()` is called when bytes are
        /// available.
        func fill(_ buffer: UnsafeMutableRawBufferPointer) -> BodyPiece
        func cancel()
        /// Cancels this source. Returns a source for the same body from its beginning, or `nil` if the body can't be
        /// sent again.
        func startedOver() -> (any EngineBodySource)?
    }
#endif
