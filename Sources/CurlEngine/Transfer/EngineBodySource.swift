#if os(Linux) && canImport(Glibc)
    import SwallowLock

    package protocol EngineBodySource: AnyObject, Sendable {
        var length: Int64? { get }
        var hasTrailers: Bool { get }
        /// Whether the bytes follow a response with status 101. They aren't the request's body then, so nothing frames
        /// them.
        var isTunnel: Bool { get }
        var isReady: Bool { get }
        func start()
        /// After this returns `.later`, `EngineTransfer.continueBody()` must be called once bytes are available.
        func fill(_ buffer: UnsafeMutableRawBufferPointer) -> BodyPiece
        func cancel()
        func startedOver() -> (any EngineBodySource)?
    }

    extension EngineBodySource {
        package var isTunnel: Bool { false }
    }
#endif
