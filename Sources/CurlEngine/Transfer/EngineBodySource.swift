#if os(Linux) && canImport(Glibc)
    import SwallowLock

    /// A request's body that is read while it is sent. The loop never waits for its bytes.
    package protocol EngineBodySource: AnyObject, Sendable {
        var length: Int64? { get }
        var hasTrailers: Bool { get }
        /// Whether `fill` would return anything but `.later`.
        var isReady: Bool { get }
        func start()
        /// After `.later`, `EngineTransfer.continueBody()` is called when bytes are available.
        func fill(_ buffer: UnsafeMutableRawBufferPointer) -> BodyPiece
        func cancel()
        /// Cancels this source. Returns `nil` if the body can't be sent again.
        func startedOver() -> (any EngineBodySource)?
    }
#endif
